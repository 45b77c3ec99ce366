//! The process's log.

use super::{Default, Kind, ROW, Setting, flag};

pub(super) static SETTINGS: [Setting; 3] = [
    Setting {
        name: "log.filter",
        flag: flag("log", "FILTER", ""),
        variable: Some("HJALL_LOG"),
        kind: Kind::Text("error, warn, info, debug or trace, or one for each module such as info,hjall_server=debug"),
        default: Default::Is("info"),
        says: "What is logged: error, warn, info, debug, trace, or per module such as info,hjall_server=debug",
        because: "what an operator has to know, and nothing for each call",
        set: |launch, value| launch.log.filter = value.text().to_owned(),
        ..ROW
    },
    Setting {
        name: "log.format",
        flag: flag("log-format", "WORD", ""),
        variable: Some("HJALL_LOG_FORMAT"),
        kind: Kind::Choice(&["human", "json"]),
        default: Default::Is("human"),
        says: "How the log is written: lines for people, or one JSON object per line",
        because: "it is read first by who starts the server",
        reloads: false,
        set: |launch, value| launch.log.json = value.text() == "json",
        ..ROW
    },
    Setting {
        name: "log.traces",
        kind: Kind::Text(
            "the URL of an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces",
        ),
        default: Default::Unset("nowhere"),
        says: "Where a span of each call is sent by OpenTelemetry's protocol; needs a build with the feature otel",
        because: "a span for each call costs more than many calls do",
        reloads: false,
        set: |launch, value| launch.traces = Some(value.text().to_owned()),
        ..ROW
    },
];
