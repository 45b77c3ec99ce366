//! Expensive filters: reads stop within a cell, searches of regular expressions have limits, and scans ask whether they
//! must pause by the work of their filter.

use std::cell::Cell as Counter;
use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering as Memory};

use hjall_engine::filter::{Comparator, FilterSpec};
use hjall_engine::read::{Budget, Fetched, Stop};
use hjall_engine::request::{Get, Scan};
use hjall_engine::{ErrorKind, Result};

use crate::world::{World, bytes};

/// A filter that no cell passes, with this number of members.
fn list(members: usize) -> FilterSpec {
    FilterSpec::one(vec![parsed("ValueFilter(=, 'substring:b')"); members])
}

fn parsed(text: &str) -> FilterSpec {
    FilterSpec::parse(text.as_bytes()).unwrap()
}

fn one_cell(value: &str) -> World {
    let world = World::new(&["f"]);
    world.put("r", "f:1", 5, value);
    world
}

/// Scans with a filter, and stops at the check with this number. Returns the number of checks too.
fn scan_until(world: &World, filter: &FilterSpec, stop_at: usize) -> (Result<usize>, usize) {
    let mut scanner = world.table.scan(Scan { filter: Some(Arc::new(filter.clone())), ..Scan::default() }).unwrap();
    let checks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&checks);
    scanner.watch(Arc::new(move || counted.fetch_add(1, Memory::Relaxed) + 1 == stop_at));
    let result = scanner.next(9).map(|rows| rows.len());
    let done = checks.load(Memory::Relaxed);
    if result.is_err() {
        assert_eq!(scanner.next(9).unwrap().len(), 0, "the scan can continue");
    }
    (result, done)
}

fn stops_within_a_cell(value: &str, filter: &FilterSpec) {
    let world = one_cell(value);
    let (plain, checks_of_plain) = scan_until(&world, &parsed("ValueFilter(=, 'binary:b')"), 0);
    assert_eq!(plain.unwrap(), 0);
    let (whole, checks) = scan_until(&world, filter, 0);
    assert_eq!(whole.unwrap(), 0);
    assert!(checks >= checks_of_plain + 4, "{checks} checks of the stop flag, {checks_of_plain} without the filter");
    let (stopped, _) = scan_until(&world, filter, checks - 2);
    assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn a_scan_stops_between_two_members_of_a_list() {
    stops_within_a_cell(&"a".repeat(4 << 10), &list(1000));
    // Members that compare few bytes count, too.
    stops_within_a_cell("a", &list(40_000));
    stops_within_a_cell("a", &FilterSpec::all(vec![list(20_000), list(20_000)]));
}

#[test]
fn a_scan_stops_within_a_row() {
    let world = World::new(&["f"]);
    for column in 0..5000 {
        world.put("r", &format!("f:{column:04}"), 5, "a");
    }
    let (whole, checks) = scan_until(&world, &parsed("ValueFilter(=, 'binary:b')"), 0);
    assert_eq!(whole.unwrap(), 0);
    assert!(checks >= 5, "{checks} checks of the stop flag");
    let (stopped, _) = scan_until(&world, &parsed("ValueFilter(=, 'binary:b')"), checks - 1);
    assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn a_scan_stops_within_the_search_of_a_regular_expression() {
    stops_within_a_cell(&"a".repeat(8 << 10), &parsed("ValueFilter(=, 'regexstring:(?=[a-z]*b)c')"));
}

#[test]
fn a_scan_stops_within_the_search_of_an_automaton() {
    // Pseudo-random, so that the automaton needs a new state for each byte.
    let mut seed = 1_u32;
    let text: String = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed >> 31 == 0 { 'a' } else { 'b' }
    })
    .take(4 << 10)
    .collect();
    stops_within_a_cell(&text, &parsed("ValueFilter(=, 'regexstring:[ab]*a[ab]{1000}c')"));
    // Few states, but a long text.
    stops_within_a_cell(&"a".repeat(9 << 20), &parsed("ValueFilter(=, 'regexstring:[a-z]b')"));
}

#[test]
fn long_texts_are_searched_like_short_ones() {
    let order = |pattern: &str, text: &str| Comparator::regex_string(pattern).unwrap().order(text.as_bytes()).unwrap();
    let found = |pattern: &str, text: &str| order(pattern, text).is_eq();
    for length in [1, 1000, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 300 << 10] {
        let text = "é".repeat(length);
        for end in ["é", "x", "é\n", "\n", "xé", "\n\u{85}"] {
            let text = format!("{text}{end}");
            for (pattern, expected) in [
                ("x", end.contains('x')),
                ("é*x", end.contains('x')),
                ("[é-ü]+[x\n]", end.contains(['x', '\n'])),
                (r"(?s)\Aé*.\z", !end.ends_with("\u{85}") && end != "xé"),
                (r"éx\z", end == "x"),
                (r"x\z", end == "x"),
                (r"\z", true),
                (r"\Ax", false),
                (r"\Aé", true),
                ("(?m)^[^é]", end.ends_with("\u{85}")),
                ("(?:é{20}){50}", length >= 999),
                ("q|w|r", false),
                ("éx|éy|nothing", end.starts_with('x')),
                ("[^\\x{0}-\\x{10ffff}]", false),
                ("", true),
            ] {
                assert_eq!(found(pattern, &text), expected, "{pattern} in {length} and {end:?}");
            }
        }
    }
}

#[test]
fn a_get_stops_between_two_members_of_a_list() {
    let world = one_cell("a");
    let get = |members| Get { filter: Some(Arc::new(list(members))), ..Get::new(bytes("r")) };
    let budget = Asked::new(usize::MAX);
    budget.stop.stop();
    assert!(world.table.get_for(&get(1), &budget).unwrap().cells.is_empty());
    assert_eq!(world.table.get_for(&get(10_000), &budget).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(world.table.exists_for(&get(10_000), &budget).unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn searches_of_regular_expressions_have_limits() {
    let order = |pattern: &str, text: &str| Comparator::regex_string(pattern).unwrap().order(text.as_bytes());
    let long = |text: &str| text.repeat(1 << 20);
    for (pattern, text) in
        [("(?=[a-z]*b)c", long("1")), ("[ab]*a[ab]{10000}c", long("a")), ("^(?!q)[ab]*a[ab]{5000}c", long("a"))]
    {
        let error = order(pattern, &text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unprocessable, "{pattern}");
        assert!(error.message().contains("gave up on a text of 1048576 bytes"), "{error}");
        assert_eq!(order(pattern, &text[..1000]).unwrap(), Ordering::Greater, "{pattern}");
    }
    // What looks ahead only at the end of the text, or at its start, is no such search.
    for (pattern, length) in [("foo.*bar$", 900 << 10), ("foo$", 900 << 10), (r"^(?=.*foo)(?=.*bar)", 64 << 10)] {
        let text = "x".repeat(length);
        assert_eq!(order(pattern, &text).unwrap(), Ordering::Greater, "{pattern}");
        assert_eq!(
            order(pattern, &(text + "foobar foo bar foo")).unwrap().is_eq(),
            pattern != "foo.*bar$",
            "{pattern}"
        );
    }
}

/// A budget that counts how often a scan asks whether it must pause, and pauses it once. It checks no stop flag itself.
struct Asked {
    times: Counter<usize>,
    rows: Counter<u32>,
    pause_at: usize,
    stop: Stop,
}

impl Asked {
    fn new(pause_at: usize) -> Self {
        Self { times: Counter::new(0), rows: Counter::new(0), pause_at, stop: Stop::default() }
    }
}

impl Budget for Asked {
    fn take(&self, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    fn release(&self, _: usize, _: usize) {}

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn stop(&self) -> Stop {
        self.stop.clone()
    }

    fn must_pause(&self, rows: u32) -> bool {
        assert!(rows > 0);
        self.times.set(self.times.get() + 1);
        self.rows.set(self.rows.get() + rows);
        self.times.get() == self.pause_at
    }
}

#[test]
fn a_scan_may_pause_at_the_end_of_each_region() {
    let world = World::split(&["f"], &["b", "c", "d", "e", "f", "g", "h"]);
    world.put("a", "f:1", 5, "v");
    world.put("h", "f:1", 5, "v");
    let budget = Asked::new(usize::MAX);
    let mut scanner = world.table.scan(Scan::default()).unwrap();
    assert!(matches!(scanner.fetch_for(9, usize::MAX, &budget).unwrap(), Fetched::Rows(rows) if rows.len() == 2));
    assert_eq!(budget.times.get(), 7);
    for pause_at in 1..=7 {
        let budget = Asked::new(pause_at);
        let mut scanner = world.table.scan(Scan::default()).unwrap();
        assert!(matches!(scanner.fetch_for(9, usize::MAX, &budget).unwrap(), Fetched::Paused));
        assert!(matches!(scanner.fetch_for(9, usize::MAX, &budget).unwrap(), Fetched::Rows(rows) if rows.len() == 2));
    }
}

#[test]
fn the_work_of_a_filter_counts_as_rows() {
    let world = World::new(&["f"]);
    for row in 0..10 {
        world.put(&format!("r{row}"), "f:1", 5, "a");
    }
    let fetched = |filter: FilterSpec, budget: &Asked| {
        let mut scanner = world.table.scan(Scan { filter: Some(Arc::new(filter)), ..Scan::default() }).unwrap();
        let mut pauses = 0;
        loop {
            match scanner.fetch_for(99, usize::MAX, budget).unwrap() {
                Fetched::Paused => pauses += 1,
                Fetched::Rows(rows) => return (rows.len(), pauses),
            }
        }
    };
    let cheap = Asked::new(usize::MAX);
    assert_eq!(fetched(list(1), &cheap), (0, 0));
    assert_eq!((cheap.times.get(), cheap.rows.get() < 20), (10, true));
    let expensive = Asked::new(5);
    assert_eq!(fetched(list(2000), &expensive), (0, 1));
    assert!(expensive.rows.get() >= 10 * 4, "{}", expensive.rows.get());
    // Rows that pass count, too.
    let passing = FilterSpec::one(vec![list(2000), parsed("ValueFilter(=, 'binary:a')")]);
    let expensive = Asked::new(5);
    assert_eq!(fetched(passing, &expensive), (10, 1));
    assert!(expensive.rows.get() >= 9 * 4, "{}", expensive.rows.get());
}
