//! The log of the process.

use super::{Default, Kind, ROW, Setting, flag};

pub(super) static SETTINGS: [Setting; 3] = [
    Setting {
        name: "log.filter",
        flag: flag("log", "FILTER", ""),
        variable: Some("HJALL_LOG"),
        kind: Kind::Text("error, warn, info, debug, trace or off, also per module, as in info,hjall_server=debug"),
        default: Default::Is("info"),
        summary: "What is logged: error, warn, info, debug, trace or off, also per module, as in info,hjall_server=debug",
        reason: "Everything an operator has to know, and nothing for each call",
        set: |startup, value| startup.log.filter = value.text().to_owned(),
        ..ROW
    },
    Setting {
        name: "log.format",
        flag: flag("log-format", "WORD", ""),
        kind: Kind::Choice(&["human", "json"]),
        default: Default::Is("human"),
        summary: "Format of the log: text for people, or one JSON object per line",
        reason: "The first reader is usually the person who starts the server",
        reloads: false,
        set: |startup, value| startup.log.json = value.text() == "json",
        ..ROW
    },
    Setting {
        name: "log.traces",
        kind: Kind::Text(
            "the URL of an OpenTelemetry collector that accepts OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces",
        ),
        default: Default::Unset("spans are not sent"),
        summary: "URL of the OpenTelemetry collector (OTLP over HTTP) that receives a span of each call. Needs a \
                  build with the feature otel",
        reason: "A span costs more than many of the calls themselves",
        reloads: false,
        set: |startup, value| startup.traces = Some(value.text().to_owned()),
        ..ROW
    },
];
