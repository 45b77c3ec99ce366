//! Runs every script of `tests/scripts` on every store.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::fixture::Database;
use crate::script::Runner;

/// A step and its expected answer.
struct Expected<'a> {
    place: usize,
    step: &'a str,
    answer: Vec<&'a str>,
}

/// A part of a script that begins with an empty database.
struct Scene<'a> {
    title: &'a str,
    steps: Vec<Expected<'a>>,
}

fn scenes(text: &str) -> Vec<Scene<'_>> {
    let mut scenes: Vec<Scene<'_>> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let code = line.trim_end();
        if code.trim_start().is_empty() || code.starts_with('#') {
            continue;
        }
        if let Some(title) = code.strip_prefix("== ") {
            scenes.push(Scene { title, steps: vec![] });
            continue;
        }
        let scene = scenes.last_mut().expect("a script begins with a title: == …");
        match code.strip_prefix("  ") {
            Some(answer) => scene.steps.last_mut().expect("an answer follows a step").answer.push(answer.trim_start()),
            None => scene.steps.push(Expected { place: at + 1, step: code, answer: vec![] }),
        }
    }
    scenes
}

/// Times in scripts are relative: `@now`, `@now+5`, `..now`.
fn with_times(line: &str, now: i64) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) =
        ["@now", "=now", "..now"].iter().filter_map(|mark| rest.find(mark).map(|p| p + mark.len() - 3)).min()
    {
        let (before, after) = rest.split_at(at);
        let after = &after[3..];
        let digits =
            after.strip_prefix(['+', '-']).map_or(0, |t| t.find(|c: char| !c.is_ascii_digit()).unwrap_or(t.len()));
        let offset: i64 = if digits > 0 { after[..=digits].parse().unwrap() } else { 0 };
        write!(out, "{before}{}", now + offset).unwrap();
        rest = if digits > 0 { &after[digits + 1..] } else { after };
    }
    out + rest
}

/// An expected error may omit the message or contain a part of it.
fn agrees(expected: &str, got: &str) -> bool {
    match (expected.strip_prefix("! "), got.strip_prefix("! ")) {
        (Some(expected), Some(got)) => match expected.split_once(": ") {
            Some((kind, words)) => got.split_once(": ").is_some_and(|(k, w)| k == kind && w.contains(words)),
            None => got.split(": ").next() == Some(expected),
        },
        _ => expected == got,
    }
}

fn run(path: &Path, make: fn() -> Database) -> Result<(), String> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = String::new();
    for scene in scenes(&text) {
        let mut runner = Runner { db: make() };
        let start = runner.db.engine.now_ms();
        for expected in &scene.steps {
            let got = runner.run(&with_times(expected.step, start));
            let want: Vec<_> = expected.answer.iter().map(|line| with_times(line, start)).collect();
            if want.len() != got.len() || !want.iter().zip(&got).all(|(w, g)| agrees(w, g)) {
                let place = format!("{}:{} ({})", path.file_name().unwrap().display(), expected.place, runner.db.kind);
                writeln!(
                    wrong,
                    "{place} {}\n  {}\n  expected {want:?}\n  got      {got:?}",
                    scene.title, expected.step
                )
                .unwrap();
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn all(make: fn() -> Database) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scripts");
    let mut scripts: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    scripts.retain(|p| p.extension().is_some_and(|e| e == "txt"));
    scripts.sort();
    assert!(!scripts.is_empty());
    let wrong: String = scripts.iter().filter_map(|s| run(s, make).err()).collect();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn scripts_on_the_memory_store() {
    all(Database::memory);
}

#[test]
fn scripts_with_transaction_bodies_run_twice() {
    all(Database::twice);
}

#[test]
fn scripts_on_the_store_on_disk() {
    all(Database::folder);
}

#[test]
fn scripts_on_the_fault_store_without_faults() {
    all(Database::fault);
}
