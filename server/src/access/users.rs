//! The users of the server: their passwords, tokens and certificates, and their roles.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::certificate::CertificateName;
use super::file;
use super::password::HashedPassword;
use super::role::{Role, Scope};
use super::token::HashedToken;
use crate::settings::named_file;

/// The errors of a users file that cannot be used, each with the file and the line.
#[derive(Debug)]
pub struct UsersError(pub Vec<String>);

impl fmt::Display for UsersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("; "))
    }
}

impl std::error::Error for UsersError {}

/// One user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The name: letters, digits and some punctuation, all ASCII.
    pub name: Arc<str>,
    /// The password, if the user has one.
    pub password: Option<HashedPassword>,
    /// Bearer tokens.
    pub tokens: Vec<HashedToken>,
    /// Names of client certificates, any of which identifies the user.
    pub certificates: Vec<CertificateName>,
    /// The tables that each role covers, indexed by the role's number.
    pub roles: [Scope; Role::ALL.len()],
}

impl User {
    /// A user who cannot log in and has no role.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            password: None,
            tokens: Vec::new(),
            certificates: Vec::new(),
            roles: Default::default(),
        }
    }

    /// The tables that a role of this user covers.
    pub fn scope(&self, role: Role) -> &Scope {
        &self.roles[role as usize]
    }

    /// Whether the user has a password, a token or a certificate.
    pub fn can_log_in(&self) -> bool {
        self.password.is_some() || !self.tokens.is_empty() || !self.certificates.is_empty()
    }
}

/// Checks the name of a user.
///
/// # Errors
/// The reason why no user can have the name.
pub fn check_name(name: &str) -> Result<(), String> {
    const NAME_BYTES_MAX: usize = 128;
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@/+=".contains(&byte);
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(legal) {
        return Err(format!("must have 1 to {NAME_BYTES_MAX} ASCII letters, digits or characters of ._-@/+="));
    }
    // Limits count users and addresses by their names.
    if name.parse::<std::net::IpAddr>().is_ok() {
        return Err("must not be an IP address".to_owned());
    }
    Ok(())
}

/// A warning of a file with secrets that other users of the machine can read. `what` names the kind of file.
pub fn exposed(what: &str, path: &Path) -> Option<String> {
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(path).ok()?) & 0o077 != 0 {
        let path = path.display();
        return Some(format!("other users of this machine can access {what} {path}; run chmod 600 {path}"));
    }
    #[cfg(not(unix))]
    let _ = (what, path);
    None
}

/// A change of a user when the users file is read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserChange {
    /// `added`, `changed` or `removed`.
    pub kind: &'static str,
    /// The name of the user.
    pub user: Arc<str>,
}

/// Why a certificate identifies no user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoUser {
    /// No user has one of its names.
    None,
    /// Several users have names of the certificate.
    Several,
}

/// All users, indexed by their names, tokens and certificates.
#[derive(Debug)]
pub struct Users {
    by_name: HashMap<Arc<str>, Arc<User>>,
    by_token: HashMap<HashedToken, Arc<User>>,
    by_certificate: HashMap<CertificateName, Arc<User>>,
    /// The hash that is checked for users that do not exist or have no password.
    unmatched: HashedPassword,
}

impl Users {
    /// Reads a users file.
    ///
    /// # Errors
    /// All errors in it.
    pub fn read(path: &Path) -> Result<Self, UsersError> {
        let text = named_file::read_text(path).map_err(|error| {
            let remedy = match error.kind() {
                io::ErrorKind::NotFound => "; create it with `hjall user add`",
                _ => "",
            };
            UsersError(vec![format!("{}: cannot be read: {error}{remedy}", path.display())])
        })?;
        Self::parse(&text, path)
    }

    /// Parses the text of a users file. `path` is named in errors.
    ///
    /// # Errors
    /// All errors in it.
    pub fn parse(text: &str, path: &Path) -> Result<Self, UsersError> {
        Self::of(file::parse(text, path)?).map_err(|why| UsersError(vec![format!("{}: {why}", path.display())]))
    }

    fn of(users: Vec<User>) -> Result<Self, String> {
        let unmatched = HashedPassword::unmatched(users.iter().filter_map(|user| user.password.as_ref()))?;
        let mut all =
            Self { by_name: HashMap::new(), by_token: HashMap::new(), by_certificate: HashMap::new(), unmatched };
        for user in users {
            let user = Arc::new(user);
            for token in &user.tokens {
                if let Some(other) = all.by_token.insert(*token, user.clone()) {
                    return Err(format!("users {} and {} have the same token", other.name, user.name));
                }
            }
            for certificate in &user.certificates {
                if let Some(other) = all.by_certificate.insert(certificate.clone(), user.clone()) {
                    return Err(format!("users {} and {} both have {certificate}", other.name, user.name));
                }
            }
            all.by_name.insert(user.name.clone(), user);
        }
        Ok(all)
    }

    /// Whether there is a user who can log in.
    pub fn can_log_in(&self) -> bool {
        self.by_name.values().any(|user| user.can_log_in())
    }

    /// Checks that users of a file, `path`, may replace these.
    ///
    /// # Errors
    /// Nobody could log in any more.
    pub fn check_replaces(&self, before: &Self, path: &Path) -> Result<(), UsersError> {
        if self.can_log_in() || !before.can_log_in() {
            return Ok(());
        }
        let path = path.display();
        Err(UsersError(vec![format!(
            "{path} has no user with a password, a token or a certificate, so nobody could log in any more; write the users, \
             and send SIGHUP again, or restart the server"
        )]))
    }

    /// Warnings of users who cannot log in, and of a file that others can read. `path` is the file.
    pub fn warnings(&self, path: &Path) -> Vec<String> {
        let mut lines: Vec<_> = exposed("the users file", path).into_iter().collect();
        let path = path.display();
        if !self.can_log_in() {
            lines.push(format!(
                "no client can log in: {path} (auth.users) has no user with a password, a token or a certificate; add one with \
                 `hjall user add`, and send SIGHUP"
            ));
        }
        let without = self.all().into_iter().filter(|user| !user.can_log_in());
        lines.extend(without.map(|user| {
            format!(
                "the user {} can never log in: {path} (auth.users) gives it no password, no token and no certificate; add \
                 one, or remove the user",
                user.name
            )
        }));
        lines
    }

    /// Finds a user by name.
    pub fn get(&self, name: &str) -> Option<&Arc<User>> {
        self.by_name.get(name)
    }

    /// The user with this token.
    pub fn of_token(&self, token: &HashedToken) -> Option<&Arc<User>> {
        self.by_token.get(token)
    }

    /// The user of a verified client certificate, and the name that identifies the user.
    ///
    /// # Errors
    /// Its names identify no user, or several.
    pub fn of_certificate(&self, certificate: &[u8]) -> Result<(&Arc<User>, CertificateName), NoUser> {
        let mut found: Option<(&Arc<User>, CertificateName)> = None;
        for name in CertificateName::of(certificate) {
            match (self.by_certificate.get(&name), &found) {
                (None, _) => {}
                (Some(user), None) => found = Some((user, name)),
                (Some(user), Some((other, _))) if Arc::ptr_eq(user, other) => {}
                (Some(_), Some(_)) => return Err(NoUser::Several),
            }
        }
        found.ok_or(NoUser::None)
    }

    /// The hash to check for users that do not exist or have no password.
    pub fn unmatched(&self) -> &HashedPassword {
        &self.unmatched
    }

    /// All users, in the order of their names.
    pub fn all(&self) -> Vec<&Arc<User>> {
        let mut all: Vec<_> = self.by_name.values().collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// The differences from an earlier file.
    pub fn changes_since(&self, before: &Self) -> Vec<UserChange> {
        let change = |kind, user: &Arc<User>| UserChange { kind, user: user.name.clone() };
        let added_or_changed = self.all().into_iter().filter_map(|user| match before.get(&user.name) {
            None => Some(change("added", user)),
            Some(old) if old != user => Some(change("changed", user)),
            Some(_) => None,
        });
        let removed = before.all().into_iter().filter(|user| self.get(&user.name).is_none());
        added_or_changed.chain(removed.map(|user| change("removed", user))).collect()
    }
}
