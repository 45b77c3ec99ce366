//! Java's regular expressions: the answers of `java.util.regex` (Java 17) for many patterns and texts. Each line
//! catches a construct that is parsed by the rules of another dialect, so that it is accepted where Java refuses it or
//! matches other texts.

use hjall_engine::filter::regex::JavaRegex;

/// `T text`, then `P flags answers pattern`, where the answers are `refused` or two rows of bits in hexadecimal: found
/// in, and matching the whole of, each text in order. `\u{…}` stands for a character that is not printable.
const ANSWERS: &str = include_str!("../../data/java_regex.txt");

fn unescaped(text: &str) -> String {
    let mut parts = text.split(r"\u{");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('}').unwrap();
        plain.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        plain.push_str(rest);
    }
    plain
}

fn bits(answers: &[bool]) -> String {
    let digit = |four: &[bool]| four.iter().enumerate().map(|(i, bit)| u32::from(*bit) << i).sum();
    answers.chunks(4).map(|four| char::from_digit(digit(four), 16).unwrap()).collect()
}

#[test]
fn patterns_match_as_in_java() {
    let answers = match std::env::var("JAVA_REGEX_ANSWERS") {
        Ok(path) => std::fs::read_to_string(path).unwrap(),
        Err(_) => ANSWERS.to_owned(),
    };
    let texts: Vec<String> = answers.lines().filter_map(|line| line.strip_prefix("T ")).map(unescaped).collect();
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for line in answers.lines().filter_map(|line| line.strip_prefix("P ")) {
        asked += 1;
        let (flags, rest) = line.split_once(' ').unwrap();
        let flags: i32 = flags.parse().unwrap();
        let pattern = rest.strip_prefix("refused ").unwrap_or_else(|| rest.splitn(3, ' ').nth(2).unwrap_or(""));
        let pattern = unescaped(pattern);
        let ours = match (JavaRegex::new(&pattern, flags as u32), JavaRegex::whole(&pattern, flags as u32)) {
            (Err(error), _) | (_, Err(error)) => format!("refused {error}"),
            (Ok(found), Ok(whole)) => {
                let found: Result<Vec<bool>, _> = texts.iter().map(|text| found.is_match(text)).collect();
                let whole: Result<Vec<bool>, _> = texts.iter().map(|text| whole.is_match(text)).collect();
                match (found, whole) {
                    (Ok(found), Ok(whole)) => format!("{} {}", bits(&found), bits(&whole)),
                    (Err(error), _) | (_, Err(error)) => error.to_string(),
                }
            }
        };
        let same = if rest.starts_with("refused ") { ours.starts_with("refused ") } else { rest.starts_with(&ours) };
        if !same {
            wrong.push(format!("{flags} {rest}\n    here: {ours}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {asked} patterns:\n{}", wrong.len(), wrong.join("\n"));
}
