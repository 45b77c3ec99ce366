//! The report of a comparison: a table of all figures in Markdown, and plots.

use std::fmt::Write as _;
use std::time::Duration;

use super::results::{Cpu, Line, Ratio, Results, Spread};
use super::{Options, plot};
use crate::Outcome;

/// The name of the file with the tables.
const FILE: &str = "results.md";

/// Prints the tables, and writes them and the plots to a folder if the options name one.
pub fn write(machine: &[(&str, String)], options: &Options, results: &Results, took: Duration) -> Outcome<()> {
    let text = markdown(machine, results, took)?;
    println!("\n{text}");
    let Some(folder) = &options.out else { return Ok(()) };
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(FILE), text)?;
    for section in sections(results) {
        let lines: Vec<&Line> = results.lines.iter().filter(|line| line.subject.section == section).collect();
        std::fs::write(folder.join(format!("{}.svg", file_name(section))), plot::rates(section, &lines))?;
    }
    std::fs::write(folder.join("ratios.svg"), plot::ratios(&results.lines))?;
    eprintln!("written to {}", folder.display());
    Ok(())
}

/// An argument as it is typed in a shell.
fn quoted(argument: String) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&byte);
    if !argument.is_empty() && argument.bytes().all(is_plain) {
        return argument;
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

/// The sections, in the order of the first figures.
fn sections(results: &Results) -> Vec<&'static str> {
    let mut sections = Vec::new();
    for line in &results.lines {
        if !sections.contains(&line.subject.section) {
            sections.push(line.subject.section);
        }
    }
    sections
}

fn file_name(section: &str) -> String {
    section.to_lowercase().replace(' ', "-")
}

fn markdown(machine: &[(&str, String)], results: &Results, took: Duration) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let command = std::env::args().skip(1).map(quoted).collect::<Vec<_>>().join(" ");
    writeln!(out, "# Benchmark results\n\nWritten in {} s by\n\n```\nbench/run {command}\n```\n", took.as_secs())?;
    writeln!(out, "| | |\n|---|---|")?;
    for (name, value) in machine {
        writeln!(out, "| {name} | {value} |")?;
    }
    writeln!(
        out,
        "\nRates are medians of the rounds. Ratios are those of the same round: the median, and the range in brackets.\n\
         Latencies are in microseconds, medians of the rounds. \"CPU\" is the processor time of the server for one\n\
         operation, in microseconds, and \"generator\" that of the load generator."
    )?;
    writeln!(out, "\n## Goals\n\n| operation | connections | what | median | range | goal | reached |")?;
    writeln!(out, "|---|---|---|---|---|---|---|")?;
    for line in &results.lines {
        for goal in &line.subject.goals {
            let Some((spread, met)) = line.judged(*goal) else { continue };
            let what = goal.to.map_or(String::new(), |to| format!(", compared with {to}"));
            writeln!(
                out,
                "| {} | {} | {}{what} | {:.2} | {:.2} to {:.2} | {} | {} |",
                line.subject.operation,
                line.subject.connections,
                goal.ratio.name(),
                spread.median,
                spread.least,
                spread.most,
                goal.bound,
                if met { "yes" } else { "no" }
            )?;
        }
    }
    for section in sections(results) {
        writeln!(out, "\n## {section}\n")?;
        writeln!(
            out,
            "| operation | connections | system | per s | ratio of hjall | p50 | p99 | p99.9 | CPU | generator |"
        )?;
        writeln!(out, "|---|---|---|---|---|---|---|---|---|---|")?;
        for line in results.lines.iter().filter(|line| line.subject.section == section) {
            for (n, series) in line.systems.iter().enumerate() {
                let (operation, connections) = match n {
                    0 => (line.subject.operation.as_str(), line.subject.connections.to_string()),
                    _ => ("", String::new()),
                };
                let ratio = if n == 0 { None } else { line.ratio(Ratio::Rate, Some(series)) };
                let cpu = |of: fn(&Cpu) -> f64| {
                    let time = series.median(|sample| of(&sample.cpu));
                    if time > 0.0 { format!("{time:.1}") } else { String::new() }
                };
                writeln!(
                    out,
                    "| {operation} | {connections} | {} | {} {} | {} | {:.0} | {:.0} | {:.0} | {} | {} |",
                    series.system,
                    grouped(series.median(|sample| sample.rate)),
                    line.subject.unit,
                    ratio.map_or(String::new(), |ratio| shown(&ratio)),
                    series.median(|sample| sample.p50),
                    series.median(|sample| sample.p99),
                    series.median(|sample| sample.p999),
                    cpu(|cpu| cpu.server_us),
                    cpu(|cpu| cpu.generator_us),
                )?;
            }
        }
    }
    Ok(out)
}

fn shown(spread: &Spread) -> String {
    format!("{:.2} ({:.2} to {:.2})", spread.median, spread.least, spread.most)
}

/// A whole number with commas between its thousands.
pub fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::results::{Goal, Sample, Subject};
    use super::*;

    #[test]
    fn tables_show_medians_ratios_and_goals() {
        let subject = Subject {
            section: "Gets",
            operation: "getRow".into(),
            connections: 8,
            unit: "calls",
            goals: vec![Goal::rate(0.9, "Redis")],
        };
        let mut results = Results::default();
        results.add(&subject, "hjall", Sample { rate: 45_678.0, p50: 100.0, ..Sample::default() });
        results.add(&subject, "Redis", Sample { rate: 91_356.0, ..Sample::default() });
        let text = markdown(&[("processor", "one".into())], &results, Duration::from_secs(3)).expect("text");
        for line in [
            "| processor | one |",
            "| getRow | 8 | rate, compared with Redis | 0.50 | 0.50 to 0.50 | ≥ 0.9 | no |",
            "| getRow | 8 | hjall | 45,678 calls |  | 100 | 0 | 0 |  |  |",
            "|  |  | Redis | 91,356 calls | 0.50 (0.50 to 0.50) | 0 | 0 | 0 |  |  |",
        ] {
            assert!(text.contains(line), "{line} is missing in {text}");
        }
    }
}
