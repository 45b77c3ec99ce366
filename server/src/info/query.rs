//! The query of a request, such as `qry=Hadoop:*`.

/// Returns the decoded value of a parameter, or `None` if the query does not have it.
pub fn parameter(query: &str, name: &str) -> Option<String> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then(|| decoded(value))
    })
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        bytes.push(match (first, after) {
            (b'%', [high, low, behind @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    rest = behind;
                    high * 16 + low
                }
                _ => b'%',
            },
            (b'+', _) => b' ',
            (other, _) => *other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::parameter;

    #[test]
    fn a_value_is_found_and_decoded() {
        let query = "a=1&qry=Hadoop%3Aservice%3DHBase%2C*&b=2+3&c=%4";
        assert_eq!(parameter(query, "qry").as_deref(), Some("Hadoop:service=HBase,*"));
        assert_eq!(parameter(query, "b").as_deref(), Some("2 3"));
        assert_eq!(parameter(query, "c").as_deref(), Some("%4"));
        assert_eq!(parameter(query, "qr"), None);
    }
}
