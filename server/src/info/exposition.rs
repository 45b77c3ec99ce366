//! Prometheus's text format, version 0.0.4.

use std::fmt::{Display, Write};

/// A page of metrics under construction.
#[derive(Default)]
pub struct Exposition(String);

/// Names and values of the labels of a sample.
pub type Labels<'a> = &'a [(&'a str, &'a str)];

impl Exposition {
    /// Returns the page.
    pub fn into_text(self) -> String {
        self.0
    }

    /// Begins a family with its name, its kind (`counter`, `gauge` or `histogram`) and its help text. Its samples must
    /// follow.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Writes a sample.
    pub fn sample(&mut self, name: &str, labels: Labels<'_>, value: impl Display) {
        self.0.push_str(name);
        for (i, (label, text)) in labels.iter().enumerate() {
            self.0.push(if i == 0 { '{' } else { ',' });
            let _ = write!(self.0, "{label}=\"{}\"", escaped(text));
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    /// Writes a family with one sample without labels.
    pub fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    /// Writes the samples of a histogram: for each bound in seconds the number of values up to it, the number of all
    /// values, and their sum in seconds.
    pub fn histogram(&mut self, name: &str, labels: Labels<'_>, up_to: &[(f64, u64)], all: u64, sum: f64) {
        let bucket = format!("{name}_bucket");
        let bounds = up_to.iter().map(|(bound, count)| (bound.to_string(), *count));
        for (bound, count) in bounds.chain([("+Inf".to_owned(), all)]) {
            let labelled: Vec<_> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.sample(&bucket, &labelled, count);
        }
        self.sample(&format!("{name}_sum"), labels, sum);
        self.sample(&format!("{name}_count"), labels, all);
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
