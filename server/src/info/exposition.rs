//! Prometheus' text format, version 0.0.4.

use std::fmt::{Display, Write};

/// A page that grows family by family.
#[derive(Default)]
pub struct Exposition(String);

/// Names and values of a sample's labels.
pub type Labels<'a> = &'a [(&'a str, &'a str)];

impl Exposition {
    /// The page.
    pub fn into_text(self) -> String {
        self.0
    }

    /// Begins a family: its name, `counter`, `gauge` or `histogram`, and what it is. All of its samples have to follow.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// One sample.
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

    /// A family of one sample without labels.
    pub fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    /// A histogram's samples: the values up to each bound in seconds, all, and their sum in seconds.
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
