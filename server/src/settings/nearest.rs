//! Suggestions for misspelt names.

/// The name with the smallest edit distance to `wrong`, if at most a third of the letters differ. The sections with
/// which both begin do not count.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let best = names.into_iter().map(|name| (distance(wrong, name), name)).min()?;
    let shared = wrong.chars().zip(best.1.chars()).take_while(|(a, b)| a == b);
    let sections = shared.zip(1..).filter(|((c, _), _)| matches!(c, '.' | '_')).map(|(_, end)| end).last().unwrap_or(0);
    let counted = wrong.chars().count() - sections;
    (best.0 <= counted.max(3) / 3).then_some(best.1)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_misspelt_name_is_recognised_and_an_unrelated_one_is_not() {
        let names = ["queues.read_ratio", "queues.scan_ratio", "limits.connections"];
        assert_eq!(nearest("queues.read_ration", names), Some("queues.read_ratio"));
        assert_eq!(nearest("queue.scanratio", names), Some("queues.scan_ratio"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest("queues.foo", names), None, "the section alone is no likeness");
        assert_eq!(nearest("limits.conections", names), Some("limits.connections"));
    }
}
