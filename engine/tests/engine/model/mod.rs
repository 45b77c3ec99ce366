//! Random histories on the engine and on a naive table in memory: both answer alike, before and after flushes, compactions and openings.
//!
//! A history that differs is shrunk and printed as a script, which `tests/scripts` can take over as it is.
mod generate;
mod naive;
mod op;
mod visible;

use std::fmt::Write as _;

use crate::fixture::{Database, NOW};
use crate::script::Runner;
use generate::history;
use naive::Naive;
use op::{FAMILIES, Op, Rules, family};
use proptest::test_runner::{Config, TestCaseError, TestRunner};

/// How many answers were asked for, and how many of them could be told.
#[derive(Default, Clone, Copy)]
struct Answers {
    asked: usize,
    told: usize,
}

/// Runs a history on both; a script of it up to the first answer that differs.
fn replay(db: Database, rules: [Rules; FAMILIES.len()], ops: &[Op]) -> Result<Answers, String> {
    let mut runner = Runner { db };
    let mut naive = Naive::new(NOW, rules);
    let families: Vec<_> = rules.iter().enumerate().map(|(f, r)| family(f, *r)).collect();
    let mut script = format!("== a random history\ncreate t {} --splits=b\n", families.join(" "));
    assert!(runner.run(script.lines().nth(1).unwrap()).is_empty());
    let mut answers = Answers::default();
    for op in ops {
        let got: Vec<_> = op.lines().iter().flat_map(|line| runner.run(line)).collect();
        for line in op.lines() {
            writeln!(script, "{line}").unwrap();
        }
        answers.asked += 1;
        let Ok(expected) = naive.apply(op) else { return Ok(answers) };
        // Any answer will do where it depends on what has been forgotten.
        let Some(expected) = expected else { continue };
        for line in &expected {
            writeln!(script, "  {line}").unwrap();
        }
        if !alike(&got, &expected) {
            return Err(format!("{script}# but the engine ({}) answered\n{}", runner.db.kind, got.join("\n")));
        }
        answers.told += 1;
    }
    Ok(answers)
}

/// Whether the engine answered that. It may call a piece partial although nothing of its row follows: what lies ahead, hidden, was not looked at.
fn alike(got: &[String], expected: &[String]) -> bool {
    got.len() == expected.len()
        && got.iter().zip(expected).all(|(got, expected)| got == expected || got.strip_suffix(" …") == Some(expected))
}

fn check(cases: u32, most: usize, make: fn() -> Database) {
    let mut runner =
        TestRunner::new(Config { cases, max_shrink_iters: 600, source_file: Some(file!()), ..Config::default() });
    let sum = std::cell::Cell::new(Answers::default());
    let outcome = runner.run(&history(most), |(rules, ops)| {
        let (all, one) = (sum.get(), replay(make(), rules, &ops).map_err(TestCaseError::fail)?);
        sum.set(Answers { asked: all.asked + one.asked, told: all.told + one.told });
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    let Answers { asked, told } = sum.get();
    assert!(
        told * 4 > asked * 3,
        "of {asked} answers {told} could be told: too much of the histories depends on what was forgotten"
    );
}

#[test]
fn the_store_in_memory_answers_as_the_naive_table() {
    check(800, 60, Database::memory);
}

#[test]
fn the_store_on_disk_answers_as_the_naive_table() {
    check(30, 60, Database::folder);
}
