//! The memory of compiled regular expressions: what is accepted, what is refused, and that it is claimed before a
//! pattern is compiled.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use hjall_engine::filter::FilterSpec;
use hjall_engine::filter::regex::{FILTER_MEMORY_MAX, JavaRegex, PATTERN_MEMORY_MAX, claiming};
use hjall_engine::{Error, ErrorKind};

fn row_keys(count: usize, separator: &str) -> String {
    (0..count).map(|n| format!("user{n:08}")).collect::<Vec<_>>().join(separator)
}

#[test]
fn patterns_as_programs_use_them_are_accepted() {
    let keys = format!("^({})$", row_keys(5000, "|"));
    let dates = r"\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z\b";
    let ipv4 = r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)";
    for pattern in [
        &keys,
        dates,
        ipv4,
        r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        r"[a-zA-Z0-9._%+-]{1,64}@[a-zA-Z0-9.-]{1,255}\.[a-zA-Z]{2,24}",
        r"\w{1,1000}",
        r".{0,4000}",
        r"[a-z]{10000}",
        r"\p{L}{1,100}",
        r"(?U)\b\w+\b \b\w+\b",
        r"^(?!.*password)(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,64}$",
        r"(?i)[\u00e0-\u00ff]{1,200}",
        r"(?<=user)[0-9]{1,10}(?=-)",
        // What is searched by backtracking is repeated by counting.
        r"(?:(?!--).){1,10000}",
    ] {
        let shown = &pattern[..pattern.len().min(60)];
        assert!(JavaRegex::new(pattern, 0).is_ok(), "{shown}: {:?}", JavaRegex::new(pattern, 0).err());
        assert!(JavaRegex::whole(pattern, 0).is_ok(), "{shown}");
    }
}

#[test]
fn patterns_that_are_large_when_compiled_are_refused_before_they_are() {
    let many = |part: &str, count: usize| part.repeat(count);
    for pattern in [
        r"\p{L}{2000}".to_owned(),
        r"(?:\p{L}{50}){50}".to_owned(),
        r"((((a{100}){100}){100}){100})".to_owned(),
        "a{2147483647}".to_owned(),
        r"(?U)\w{1,5000}".to_owned(),
        // Long translations.
        many(r"\p{L}", 13_000),
        many(r"\b", 30_000),
        many(r"\X", 30_000),
        // Each group holds what precedes the next one inside.
        format!("{}a{}", many(&format!("({}", many(r"\p{L}", 100)), 90), many(")", 90)),
        format!("(?:{}|a)", many(&format!("{}|", many(r"\p{L}", 100)), 90)),
        // Each look-around has an automaton of its own.
        (0..5000).map(|n| format!("(?=a{n}b+)")).collect(),
        (0..5000).map(|n| format!("(?>a{n}b+)")).collect(),
    ] {
        let claimed = Rc::new(Cell::new(0));
        let most = claimed.clone();
        let claim = move |bytes: usize| {
            most.set(bytes.max(most.get()));
            Ok(())
        };
        let shown = &pattern[..pattern.len().min(60)];
        let error = claiming(Rc::new(claim), || JavaRegex::new(&pattern, 0)).err();
        let error = error.unwrap_or_else(|| panic!("{shown} is accepted"));
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{shown}: {error}");
        // For the translation alone.
        assert!(claimed.get() <= PATTERN_MEMORY_MAX, "{shown}: {}", claimed.get());
        assert!(error.message().contains(&format!("{} MiB", PATTERN_MEMORY_MAX >> 20)), "{shown}: {error}");
    }
}

#[test]
fn the_patterns_of_one_filter_have_a_limit_together() {
    let filter = |count: usize| [r"ValueFilter(=,'regexstring:\p{L}{60}')"].repeat(count).join(" OR ");
    assert!(FilterSpec::parse(filter(2).as_bytes()).is_ok());
    let error = FilterSpec::parse(filter(300).as_bytes()).unwrap_err();
    assert!(error.message().contains(&format!("{} MiB", FILTER_MEMORY_MAX >> 20)), "{error}");
    // The limit is of one filter, not of the thread.
    assert!(FilterSpec::parse(filter(2).as_bytes()).is_ok());
}

#[test]
fn each_pattern_is_claimed_before_it_is_compiled_and_a_refusal_ends_the_filter() {
    let claims = Rc::new(RefCell::new(Vec::new()));
    let seen = claims.clone();
    let claim = move |bytes: usize| {
        seen.borrow_mut().push(bytes);
        if seen.borrow().len() < 5 { Ok(()) } else { Err(Error::new(ErrorKind::Busy, "no room")) }
    };
    let text =
        r"ValueFilter(=,'regexstring:a') OR ValueFilter(=,'regexstring:\p{L}{60}') OR RowFilter(=,'regexstring:b')";
    let refused = claiming(Rc::new(claim), || FilterSpec::parse(format!("{text} OR {text}").as_bytes()));
    assert!(refused.is_err());
    let claims = claims.borrow();
    let [first_peak, first, second_peak, both, third_peak] = claims[..] else {
        panic!("something is compiled after a refusal: {claims:?}")
    };
    assert!(first_peak > 2 * first && second_peak - first > 2 * (both - first) && third_peak > both, "{claims:?}");
    assert!(both > 10 * first, "{claims:?}");
}
