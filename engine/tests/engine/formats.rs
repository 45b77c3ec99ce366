//! Every format ever released stays readable.
//!
//! `tests/fixtures/format-N` contains a data folder written by the first version with that format (`folder`), the
//! script that wrote it (`written.txt`), and a script that reads it with the expected answers (`read.txt`). Scripts are
//! described in `tests/scripts/README.md`.
//!
//! A new format gets a new folder, created once with
//! `cargo test -p hjall-engine --test engine -- --ignored make_the_folder_of_this_format`; existing ones are never
//! changed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fixture::Database;
use crate::folder_copy::copy_folder;
use crate::script::Runner;
use hjall_engine::store::FORMAT;
use tempfile::TempDir;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn of(format: u32) -> PathBuf {
    fixtures().join(format!("format-{format}"))
}

/// The steps of a script, without the answers below them.
fn steps(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with([' ', '#']))
}

/// The steps with their answers, in the form of the file.
fn answered(runner: &mut Runner, text: &str) -> String {
    let mut answered = String::new();
    for step in steps(text) {
        answered += &format!("{step}\n");
        for line in runner.run(step) {
            answered += &format!("  {line}\n");
        }
    }
    answered
}

fn write(folder: TempDir, format: u32) -> Runner {
    let mut runner = Runner { db: Database::in_folder(folder) };
    for step in steps(&fs::read_to_string(of(format).join("written.txt")).unwrap()) {
        // The folders have values that a flush drops. A reopening writes all of the memory to files.
        let step = if step.starts_with("flush ") { "reopen" } else { step };
        let answer = runner.run(step);
        assert!(!answer.iter().any(|line| line.starts_with("! ")), "{step}: {answer:?}");
    }
    // Half the TTL of one cell; that of the other cell has passed.
    runner.run("advance 50000");
    runner
}

#[test]
fn a_folder_of_every_format_can_be_read_and_written() {
    for format in 1..=FORMAT {
        let folder = TempDir::new().unwrap();
        copy_folder(&of(format).join("folder"), folder.path()).unwrap();
        let expected = fs::read_to_string(of(format).join("read.txt")).unwrap();
        let mut runner = Runner { db: Database::in_folder(folder) };
        runner.run("advance 50000");
        assert_eq!(answered(&mut runner, &expected), expected, "format {format}");
        runner.run("reopen");
        assert_eq!(runner.run("get t a f:q"), ["f:q@9=written\\x20later"]);
    }
}

/// Data written by this version reads the same as data written by the first version of each format. Otherwise the
/// format has changed without a new number.
#[test]
fn what_this_version_writes_reads_the_same() {
    for format in 1..=FORMAT {
        let mut runner = write(TempDir::new().unwrap(), format);
        runner.run("reopen");
        let expected = fs::read_to_string(of(format).join("read.txt")).unwrap();
        assert_eq!(answered(&mut runner, &expected), expected, "format {format}");
    }
}

/// Refuses to overwrite an existing folder.
#[test]
#[ignore = "creates a fixture: run once for a new format"]
fn make_the_folder_of_this_format() {
    let target = of(FORMAT).join("folder");
    assert!(!target.exists(), "{} exists and must not be changed", target.display());
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_owned();
    let runner = write(folder, FORMAT);
    runner.db.engine.close().unwrap();
    copy_folder(&path, &target).unwrap();
    // The file names a process that has ended; opening the folder recreates it.
    fs::remove_file(target.join("LOCK")).unwrap();
    let mut again = write(TempDir::new().unwrap(), FORMAT);
    let file = of(FORMAT).join("read.txt");
    let answers = answered(&mut again, &fs::read_to_string(&file).unwrap());
    fs::write(file, answers).unwrap();
}
