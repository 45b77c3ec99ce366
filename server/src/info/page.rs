//! `/`: a page with the state of the server and links to the other pages.

use crate::server::view::{Figures, View};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2em;max-width:44em}td,th{padding:0 1em 0 0;text-align:right}\
                     td:first-child,th:first-child{text-align:left}";

/// Returns the page in HTML.
pub fn of(view: &View, figures: &Figures) -> String {
    let state = match figures.ready() {
        Ok(()) => "ready".to_owned(),
        Err(why) => format!("not ready: {why}"),
    };
    let lanes: String = figures
        .lanes
        .iter()
        .map(|lane| {
            let (name, refused) = (lane.kind.name(), lane.refused_length + lane.refused_bytes);
            let dropped = lane.dropped_gone + lane.dropped_overloaded + lane.dropped_late;
            format!(
                "<tr><td>{name}<td>{}<td>{}<td>{}<td>{refused}<td>{dropped}\n",
                lane.running, lane.waiting, lane.finished
            )
        })
        .collect();
    format!(
        "<!doctype html><meta charset=utf-8><title>hjall</title><style>{STYLE}</style>\n\
         <h1>hjall {version}</h1>\n<p>{server}: {state}. {connections} connections, {scanners} open scanners.\n\
         <table><tr><th>lane<th>running<th>waiting<th>finished<th>rejected<th>dropped\n{lanes}</table>\n\
         <ul><li><a href=/metrics>/metrics</a>: metrics for Prometheus\n\
         <li><a href=/jmx>/jmx</a>: the metrics as JSON under HBase's names; <a href=\"/jmx?qry=Hadoop:service=HBase,name=Thrift,*\">\
         <code>?qry=</code></a> selects beans\n\
         <li><a href=/healthz>/healthz</a>: whether the process responds\n\
         <li><a href=/readyz>/readyz</a>: whether clients should be sent here</ul>\n",
        version = env!("CARGO_PKG_VERSION"),
        server = escaped(&view.identity.to_string()),
        state = escaped(&state),
        connections = figures.connections,
        scanners = figures.scanners,
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
