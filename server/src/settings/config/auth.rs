//! Users and logins.

use std::path::PathBuf;
use std::time::Duration;

/// Who may use the server. Can change while running, except for `users` and `checks`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthSettings {
    /// The file with the users, or `None` if every client may do everything. Fixed at the start; its contents are read
    /// again by [`crate::Server::reload_users`].
    pub users: Option<PathBuf>,
    /// Where clients may send passwords and tokens without TLS.
    pub without_tls: WithoutTls,
    /// Failed logins of one user from one address in a minute. Further ones are refused without checking the password.
    pub tries: u32,
    /// How long a password that was right is not checked again, or `None` if each login checks it.
    pub cache: Option<Duration>,
    /// Passwords that are checked at the same time. Fixed at the start.
    pub checks: usize,
}

/// Where clients may send passwords and tokens without TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WithoutTls {
    /// Nowhere.
    #[default]
    Refuse,
    /// From loopback addresses, as a proxy on the same machine does.
    Loopback,
    /// From everywhere.
    Allow,
}

impl Default for AuthSettings {
    fn default() -> Self {
        Self {
            users: None,
            without_tls: WithoutTls::Refuse,
            tries: 10,
            cache: Some(Duration::from_secs(300)),
            checks: (super::cores() / 2).clamp(1, 4),
        }
    }
}
