//! Suggestions for misspelt names.

/// The name with the smallest edit distance to `wrong`, if at most a third of the letters differ. Two adjacent letters
/// that are swapped count as one. The sections with
/// which both begin do not count.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let best = names.into_iter().map(|name| (strsim::osa_distance(wrong, name), name)).min()?;
    let shared = wrong.chars().zip(best.1.chars()).take_while(|(a, b)| a == b);
    let sections = shared.zip(1..).filter(|((c, _), _)| matches!(c, '.' | '_')).map(|(_, end)| end).last().unwrap_or(0);
    let counted = wrong.chars().count() - sections;
    (best.0 <= counted.max(3) / 3).then_some(best.1)
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
        for swapped in ["limits.connectiosn", "limist.connections"] {
            assert_eq!(nearest(swapped, names), Some("limits.connections"));
        }
        assert_eq!(nearest("server.prot", ["server.port", "server.host"]), Some("server.port"));
        assert_eq!(nearest("HJALL_SERVER_PROT", ["HJALL_SERVER_PORT"]), Some("HJALL_SERVER_PORT"));
        assert_eq!(nearest("limits.conections", names), Some("limits.connections"));
    }
}
