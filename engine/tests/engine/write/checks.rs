//! Checked writes: when a condition holds, and what is then written.

use crate::fixture::{Database, NOW, SERVER, delete, kind, put, read};
use bytes::Bytes;
use hjall_engine::mutation::{Check, CompareOp as Op, MarkerKind, Mutation};
use hjall_engine::{ErrorKind as E, Table};

const OPS: [Op; 6] = [Op::Less, Op::LessOrEqual, Op::Equal, Op::NotEqual, Op::GreaterOrEqual, Op::Greater];

fn check(row: &str, op: Op, value: Option<&str>) -> Check {
    Check {
        row: Bytes::from(row.to_owned()),
        family: Bytes::from_static(b"f"),
        qualifier: Bytes::from_static(b"c"),
        op,
        value: value.map(|v| Bytes::from(v.to_owned())),
    }
}

fn holds(t: &Table, check: &Check) -> bool {
    let row = String::from_utf8(check.row.to_vec()).unwrap();
    t.check_and_mutate(check, &[Mutation::Put(put(&row, &[("f:mark", SERVER, "v")]))]).unwrap()
}

#[test]
fn the_given_value_is_the_left_operand() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        t.put(&put("m", &[("f:c", 1, "m")])).unwrap();
        t.put(&put("empty", &[("f:c", 1, "")])).unwrap();
        let answers = |row: &str, value: Option<&str>| OPS.map(|op| holds(&t, &check(row, op, value)));
        assert_eq!(answers("m", Some("a")), [true, true, false, true, false, false], "a is less than m");
        assert_eq!(answers("m", Some("m")), [false, true, true, false, true, false]);
        assert_eq!(answers("m", Some("\u{FF}")), [false, false, false, true, true, true], "bytes are unsigned");
        for nothing in [None, Some("")] {
            assert_eq!(answers("none", nothing), OPS.map(|op| op != Op::NotEqual));
            assert_eq!(answers("empty", nothing), OPS.map(|op| op != Op::NotEqual));
            assert_eq!(answers("m", nothing), OPS.map(|op| op == Op::NotEqual));
        }
        assert_eq!(answers("none", Some("a")), [false; 6]);
        assert!(holds(&t, &check("none", Op::NoOp, None)) && !holds(&t, &check("none", Op::NoOp, Some("x"))));
        let compared =
            t.check_and_mutate(&check("m", Op::NoOp, Some("x")), &[Mutation::Put(put("m", &[("f:c", 1, "")]))]);
        assert_eq!(kind(compared), E::Unprocessable);
    }
}

#[test]
fn puts_are_not_older_than_the_checked_cell_and_deletes_get_the_current_time() {
    for db in Database::all() {
        let t = db.table("t", &["f VERSIONS=3", "g"]);
        let future = NOW + 5_000;
        t.put(&put("r", &[("f:c", future, "v")])).unwrap();
        let hide = || Mutation::Delete(delete("r", &[(MarkerKind::Column, "f:c", SERVER)]));
        let writes = || Mutation::Put(put("r", &[("f:a", SERVER, "1"), ("g:b", SERVER, "2"), ("g:c", 3, "3")]));
        assert!(t.check_and_mutate(&check("r", Op::Equal, Some("v")), &[hide(), writes()]).unwrap());
        let want =
            [format!("f:a@{future}=1"), format!("f:c@{future}=v"), format!("g:b@{future}=2"), "g:c@3=3".to_owned()];
        assert_eq!(read(&t, "r"), want, "{}", db.kind);
    }
}

#[test]
fn nothing_is_written_when_the_condition_fails_or_a_write_is_refused() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        t.put(&put("r", &[("f:c", 1, "v")])).unwrap();
        let bad = || [Mutation::Put(put("r", &[("f:x", 1, "1")])), Mutation::Put(put("r", &[("no:x", 1, "1")]))];
        assert!(
            !t.check_and_mutate(&check("r", Op::Equal, Some("w")), &bad()).unwrap(),
            "the families are not checked"
        );
        assert_eq!(kind(t.check_and_mutate(&check("r", Op::Equal, Some("v")), &bad())), E::FamilyNotFound);
        let good = [Mutation::Put(put("r", &[("f:x", 1, "1")]))];
        let refusal = hjall_engine::Error::new(E::Unprocessable, "a reason");
        let unless = |value| t.check_and_mutate_unless(&check("r", Op::Equal, Some(value)), &good, Some(&refusal));
        assert!(!unless("w").unwrap(), "a refusal applies only if the condition holds");
        assert_eq!(kind(unless("v")), E::Unprocessable);
        let elsewhere = [Mutation::Put(put("s", &[("f:x", 1, "1")]))];
        assert_eq!(kind(t.check_and_mutate(&check("r", Op::Equal, Some("w")), &elsewhere)), E::RowMismatch);
        let negative = [Mutation::Put(put("r", &[("f:x", -1, "1")]))];
        assert_eq!(kind(t.check_and_mutate(&check("r", Op::Equal, Some("w")), &negative)), E::Refused);
        let mut unknown = check("r", Op::Equal, Some("v"));
        unknown.family = Bytes::from_static(b"no");
        assert_eq!(
            kind(t.check_and_mutate(&unknown, &[Mutation::Put(put("r", &[("f:x", 1, "1")]))])),
            E::FamilyNotFound
        );
        assert_eq!(kind(t.mutate_row(b"r", &elsewhere)), E::RowMismatch);
        assert_eq!(kind(t.mutate_row(b"r", &bad())), E::FamilyNotFound);
        assert_eq!(kind(t.mutate_row(b"r", &[])), E::InvalidArgument);
        assert_eq!(read(&t, "r"), ["f:c@1=v"]);
    }
}

#[test]
fn of_concurrent_checks_for_the_same_value_one_succeeds() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        let wins = std::thread::scope(|threads| {
            let take = |n: usize| {
                let mine = [Mutation::Put(put("r", &[("f:c", SERVER, &n.to_string())]))];
                t.check_and_mutate(&check("r", Op::Equal, None), &mine).unwrap()
            };
            let all: Vec<_> = (0..8).map(|n| threads.spawn(move || take(n))).collect();
            all.into_iter().map(|one| one.join().unwrap()).filter(|won| *won).count()
        });
        assert_eq!(wins, 1, "{}", db.kind);
    }
}
