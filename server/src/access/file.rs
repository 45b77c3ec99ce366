//! The users file: TOML with a table for each user.
//!
//! ```toml
//! [users.alice]
//! password = "$argon2id$v=19$…"            # printed by `hjall user hash`
//! tokens = ["sha256:…"]                    # bearer tokens, for HTTP
//! certificates = ["cn:alice"]              # names of client certificates
//! read = ["*"]                             # everything
//! write = ["sales:*", "users"]             # a namespace, and a table of the namespace default
//! admin = ["sales:orders"]                 # one table
//! ```

use std::path::Path;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::certificate::CertificateName;
use super::password::HashedPassword;
use super::role::Role;
use super::token::HashedToken;
use super::users::{User, UsersError, check_name};
use crate::settings::toml_text::{self, in_order};

/// Parses the text of a users file.
///
/// # Errors
/// All errors in the file, each with its line. An unknown key is an error, since a misspelt role would be missing
/// silently.
pub fn parse(text: &str, path: &Path) -> Result<Vec<User>, UsersError> {
    let mut file = File { path, text, wrong: Vec::new() };
    let users = match DeTable::parse(text) {
        Ok(root) => file.root(root.get_ref()),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            // Not the whole error of the parser, which quotes the line, and that may have secrets.
            let why = toml_text::duplicate(text, &error).unwrap_or_else(|| {
                let column = text[..at].chars().rev().take_while(|c| *c != '\n').count() + 1;
                format!("{} at column {column}", error.message().trim())
            });
            file.refuse(at, &format!("is not valid TOML: {why}"));
            Vec::new()
        }
    };
    if file.wrong.is_empty() { Ok(users) } else { Err(UsersError(file.wrong)) }
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
    wrong: Vec<String>,
}

impl File<'_> {
    fn root(&mut self, root: &DeTable<'_>) -> Vec<User> {
        let mut users = Vec::new();
        for (key, value) in in_order(root) {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("users", DeValue::Table(inside)) => {
                    for (name, value) in in_order(inside) {
                        users.extend(self.user(name, value));
                    }
                }
                (other, _) => {
                    self.refuse(
                        key.span().start,
                        &format!("{} is unknown: a user begins with [users.NAME]", shown(other)),
                    );
                }
            }
        }
        users
    }

    fn user(&mut self, name: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>) -> Option<User> {
        let (at, name) = (name.span().start, name.get_ref().as_ref());
        if let Err(why) = check_name(name) {
            self.refuse(at, &format!("the name {} {why}", shown(name)));
            return None;
        }
        let DeValue::Table(keys) = value.get_ref() else {
            self.refuse(at, &format!("users.{name} must be a table, [users.{name}]"));
            return None;
        };
        let mut user = User::new(name);
        for (key, value) in in_order(keys) {
            let (at, key) = (key.span().start, key.get_ref().as_ref());
            if let Err(why) = set(&mut user, key, value.get_ref()) {
                self.refuse(at, &format!("users.{name}.{} {why}", shown(key)));
            }
        }
        Some(user)
    }

    fn refuse(&mut self, at: usize, why: &str) {
        let line = toml_text::line(self.text, at);
        self.wrong.push(format!("{}:{line}: {why}", self.path.display()));
    }
}

/// Applies one key. The error continues the name of the key, and does not repeat secrets.
fn set(user: &mut User, key: &str, value: &DeValue<'_>) -> Result<(), String> {
    match key {
        "password" => {
            let text = value.as_str().ok_or("must be a string")?;
            user.password = Some(HashedPassword::parse(text)?);
        }
        "tokens" => {
            for text in strings(value)? {
                let token = HashedToken::parse(text).ok_or(
                    "must be a list of hashes that `hjall user token` printed, sha256: and 64 hexadecimal digits",
                )?;
                user.tokens.push(token);
            }
        }
        "certificates" => {
            for text in strings(value)? {
                let name = CertificateName::parse(text).ok_or_else(|| {
                    format!("has {}, which begins with none of subject:, cn:, dns:, email: and uri:", shown(text))
                })?;
                user.certificates.push(name);
            }
        }
        _ => {
            let Some(role) = Role::ALL.into_iter().find(|role| role.name() == key) else {
                return Err("is unknown; the keys are password, tokens, certificates, read, write and admin".to_owned());
            };
            for text in strings(value)? {
                user.roles[role as usize].add(text).map_err(|why| {
                    format!("has {}, which is neither *, NAMESPACE:*, NAMESPACE:TABLE nor TABLE: {why}", shown(text))
                })?;
            }
        }
    }
    Ok(())
}

fn strings<'a>(value: &'a DeValue<'_>) -> Result<Vec<&'a str>, String> {
    toml_text::strings(value).ok_or_else(|| "must be a list of strings".to_owned())
}

/// Text of the file for an error message.
fn shown(text: &str) -> String {
    text.chars().take(100).collect::<String>().escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    fn errors(text: &str) -> Vec<String> {
        parse(text, Path::new("u.toml")).unwrap_err().0
    }

    #[test]
    fn a_file_says_who_may_do_what() {
        let token = format!("sha256:{}", "ab".repeat(32));
        let text = format!(
            "# people\n[users.alice]\npassword = \"{HASH}\"\nread = [\"*\"]\n\n[users.\"svc@example.com\"]\n\
             tokens = [\"{token}\"]\ncertificates = [\"cn:svc\", \"dns:Svc.Example.COM\"]\nwrite = [\"sales:*\"]\nadmin = []\n"
        );
        let users = parse(&text, Path::new("u.toml")).unwrap();
        let [alice, service] = &users[..] else { panic!("{users:?}") };
        assert_eq!(alice.password.as_ref().unwrap().as_str(), HASH);
        assert!(alice.scope(Role::Read).covers_everything() && alice.scope(Role::Write).is_empty());
        assert_eq!((&*service.name, service.tokens[0].to_string()), ("svc@example.com", token));
        assert_eq!(service.certificates[1], CertificateName::Dns("svc.example.com".to_owned()));
        assert!(service.scope(Role::Write).covers_namespace("sales") && service.scope(Role::Admin).is_empty());
        assert!(parse("", Path::new("u.toml")).unwrap().is_empty());
    }

    #[test]
    fn the_place_of_a_syntax_error_is_told_without_secrets() {
        let found = errors("[users.alice]\nread = [*]\n");
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("u.toml:2: is not valid TOML: ") && found[0].ends_with(" at column 9"),
            "{found:?}"
        );
        let found = errors("[users.alice]\npassword = hunter2\n");
        assert!(found[0].starts_with("u.toml:2: ") && !found[0].contains("hunter2"), "{found:?}");
        let found = errors("[users.alice]\nread = []\n[users.bob]\nread = []\n\nread = []\n");
        assert_eq!(found, ["u.toml:6: is not valid TOML: duplicate key read, as in line 4"]);
    }

    #[test]
    fn every_mistake_is_told_with_its_line_and_without_secrets() {
        let text = "[users.alice]\nreed = [\"*\"]\npassword = \"hunter2\"\nread = \"*\"\n[users.\"a b\"]\n[users.bob]\n\
                    write = [\"x:y:z\"]\ntokens = [\"secret-token\"]\ncertificates = [\"alice\"]\n[other]\n";
        let told = errors(text);
        let expected = [
            "u.toml:2: users.alice.reed is unknown",
            "u.toml:3: users.alice.password must be a hash",
            "u.toml:4: users.alice.read must be a list",
            "u.toml:5: the name a b must have",
            "u.toml:7: users.bob.write has x:y:z",
            "u.toml:8: users.bob.tokens must be a list of hashes",
            "u.toml:9: users.bob.certificates has alice",
            "u.toml:10: other is unknown",
        ];
        assert_eq!(told.len(), expected.len(), "{told:#?}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.starts_with(expected), "{told}");
        }
        assert!(!told.join("").contains("hunter2") && !told.join("").contains("secret-token"));
        for wrong in [
            "[users.a\npassword = \"hunter2\"",
            "[users.a]\n[users.a]\n",
            "users = 1",
            "[users]\nalice = 1",
            "[users.10.0.0.1]",
            "[users.\"10.0.0.1\"]",
        ] {
            let told = errors(wrong);
            assert!(!told.is_empty() && !told.join("").contains("hunter2"), "{wrong}: {told:?}");
        }
    }
}
