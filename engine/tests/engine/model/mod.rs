//! Random histories on the engine and on a naive table in memory: both give the same answers, before and after flushes,
//! compactions and reopenings.
//!
//! A history with a different answer is shrunk and printed as a script, which can be added to `tests/scripts`
//! unchanged.
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

/// The number of answers requested, and how many of them the naive table could predict.
#[derive(Default, Clone, Copy)]
struct Answers {
    asked: usize,
    predicted: usize,
}

/// Runs a history on both. The error is a script of it up to the first different answer.
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
        // Any answer is correct if it depends on what has been dropped.
        let Some(expected) = expected else { continue };
        for line in &expected {
            writeln!(script, "  {line}").unwrap();
        }
        if !is_equivalent(&got, &expected) {
            return Err(format!("{script}# but the engine ({}) answered\n{}", runner.db.kind, got.join("\n")));
        }
        answers.predicted += 1;
    }
    Ok(answers)
}

/// Whether the engine's answer is the expected one. A piece may be partial although no visible cell of its row follows,
/// since hidden cells ahead of it have not been examined.
fn is_equivalent(got: &[String], expected: &[String]) -> bool {
    got.len() == expected.len()
        && got.iter().zip(expected).all(|(got, expected)| got == expected || got.strip_suffix(" …") == Some(expected))
}

fn check(cases: u32, most: usize, make: fn() -> Database) {
    let mut runner =
        TestRunner::new(Config { cases, max_shrink_iters: 600, source_file: Some(file!()), ..Config::default() });
    let sum = std::cell::Cell::new(Answers::default());
    let outcome = runner.run(&history(most), |(rules, ops)| {
        let (all, one) = (sum.get(), replay(make(), rules, &ops).map_err(TestCaseError::fail)?);
        sum.set(Answers { asked: all.asked + one.asked, predicted: all.predicted + one.predicted });
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    let Answers { asked, predicted } = sum.get();
    assert!(
        predicted * 4 > asked * 3,
        "only {predicted} of {asked} answers could be predicted: too much of the histories depends on what was dropped"
    );
}

#[test]
fn the_memory_store_answers_like_the_naive_table() {
    check(800, 60, Database::memory);
}

#[test]
fn the_store_on_disk_answers_like_the_naive_table() {
    check(30, 60, Database::folder);
}
