//! Who may do what: users, roles, logins, and the decision about each call.
//!
//! A server has users if the setting `auth.users` names a file. Connections and HTTP requests then have to log in, and
//! every call is decided by the roles that its user has in the file at that moment.

pub mod audit;
mod certificate;
mod checks;
mod file;
mod network;
mod password;
mod role;
mod token;
mod tries;
mod users;
mod waiting;

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use arc_swap::ArcSwap;
use hjall_engine::clock::Clock;
use hjall_engine::name::TableName;
use hjall_engine::quote::{self, Quoted};

use self::audit::{OncePerSecond, shortened};
pub use self::certificate::CertificateName;
use self::checks::Checks;
pub use self::checks::Refused;
pub use self::network::{network, network_name};
pub use self::password::{HashedPassword, PASSWORD_BYTES_MAX};
pub use self::role::{Role, Scope};
pub use self::token::{HashedToken, generate as generate_token};
use self::users::NoUser;
pub use self::users::{User, UserChange, Users, UsersError, check_name, exposed};
use crate::settings::config::AuthSettings;

impl AuthSettings {
    /// Checks the users file, if there is one. Returns warnings.
    ///
    /// # Errors
    /// All errors in the file.
    pub fn check(&self) -> Result<Vec<String>, UsersError> {
        let Some(path) = &self.users else { return Ok(Vec::new()) };
        Ok(Users::read(path)?.warnings(path))
    }
}

/// A user as which a client has logged in, with the proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    name: Arc<str>,
    proof: Proof,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Proof {
    Password(HashedPassword),
    Token(HashedToken),
    Certificate(CertificateName),
}

impl Login {
    /// The name of the user.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Whether the users file still accepts the proof. A connection is no longer logged in when its password, token or
    /// certificate is removed from the file.
    fn is_valid_for(&self, user: &User) -> bool {
        match &self.proof {
            Proof::Password(hash) => user.password.as_ref() == Some(hash),
            Proof::Token(token) => user.tokens.contains(token),
            Proof::Certificate(name) => user.certificates.contains(name),
        }
    }
}

/// What a call needs. A table or namespace is `None` if the client names none, or none that is legal: then the role
/// has to cover everything.
#[derive(Debug, Clone, Copy)]
pub enum Need<'a> {
    /// A role for a table.
    Table(Role, Option<&'a TableName>),
    /// Any role for a table.
    Any(Option<&'a TableName>),
    /// The role admin for the namespace of a table that is to be created.
    Create(Option<&'a TableName>),
    /// The role admin for a namespace.
    Namespace(Option<&'a str>),
    /// The role admin for everything.
    Everything,
    /// No role: any user may make the call.
    User,
}

/// A call that is not allowed. Displays the message of HBase's exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied(String);

impl Denied {
    /// A user uses a scanner that another one has opened.
    pub fn not_owner(user: &str) -> Self {
        Self(format!("User '{user}' is not the scanner owner!"))
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The users of a server, and the state of their logins. A server without users allows everything.
#[derive(Default)]
pub struct Access(Option<Enforced>);

struct Enforced {
    settings: ArcSwap<AuthSettings>,
    users: ArcSwap<Users>,
    checks: Checks,
    denials: OncePerSecond,
    failed_logins: OncePerSecond,
}

impl Access {
    /// Reads the users file, if the settings name one.
    ///
    /// # Errors
    /// All errors in the file.
    pub fn new(settings: &AuthSettings, clock: Arc<dyn Clock>) -> Result<Self, UsersError> {
        let Some(path) = &settings.users else { return Ok(Self(None)) };
        let users = Users::read(path)?;
        for line in users.warnings(path) {
            tracing::warn!("{line}");
        }
        let checks = Checks::new(settings.checks, clock).map_err(|why| UsersError(vec![why]))?;
        let settings = ArcSwap::from_pointee(settings.clone());
        Ok(Self(Some(Enforced {
            settings,
            users: ArcSwap::from_pointee(users),
            checks,
            denials: OncePerSecond::default(),
            failed_logins: OncePerSecond::default(),
        })))
    }

    /// Whether the server has users, so that clients must log in.
    pub fn is_enforced(&self) -> bool {
        self.0.is_some()
    }

    /// Changes the settings, except for the path of the file.
    pub fn set(&self, settings: &AuthSettings) {
        if let Some(Enforced { settings: live, .. }) = &self.0 {
            let users = live.load().users.clone();
            live.store(Arc::new(AuthSettings { users, ..settings.clone() }));
        }
    }

    /// Checks that [`Self::reload`] can use the users file.
    ///
    /// # Errors
    /// Those of [`Self::reload`].
    pub fn check_reload(&self) -> Result<(), UsersError> {
        let Some(enforced) = &self.0 else { return Ok(()) };
        let settings = enforced.settings.load();
        let Some(path) = &settings.users else { return Ok(()) };
        Users::read(path)?.check_replaces(&enforced.users.load(), path)
    }

    /// Reads the users file again. Returns the changes, or `None` if the server has no users.
    ///
    /// # Errors
    /// All errors in the file, or it has no user who can log in, and the users before had one: it is being written, or
    /// has been emptied by mistake. The users are unchanged.
    pub fn reload(&self) -> Result<Option<Vec<UserChange>>, UsersError> {
        let Some(enforced) = &self.0 else { return Ok(None) };
        let settings = enforced.settings.load();
        let Some(path) = &settings.users else { return Ok(None) };
        let users = Users::read(path)?;
        users.check_replaces(&enforced.users.load(), path)?;
        for line in users.warnings(path) {
            tracing::warn!("{line}");
        }
        let before = enforced.users.swap(Arc::new(users));
        enforced.checks.forget();
        Ok(Some(enforced.users.load().changes_since(&before)))
    }

    /// Checks a user and a password that a client at this address sent.
    ///
    /// # Errors
    /// Why the login failed; [`Refused::Wrong`] if the server has no users.
    pub async fn password(&self, from: IpAddr, name: &str, password: &[u8]) -> Result<Login, Refused> {
        let Some(Enforced { settings, users, checks, .. }) = &self.0 else { return Err(Refused::Wrong) };
        let (settings, users) = (settings.load_full(), users.load_full());
        let user = users.get(name);
        checks.password(&settings, from, name, user.map(|user| &**user), users.unmatched(), password).await?;
        let proved = user.and_then(|user| Some((user, user.password.clone()?)));
        let (user, hash) = proved.ok_or(Refused::Wrong)?;
        Ok(Login { name: user.name.clone(), proof: Proof::Password(hash) })
    }

    /// Checks a bearer token that a client at this address sent.
    ///
    /// # Errors
    /// Why the login failed. A token has 256 random bits, so failures do not keep a right one from being accepted.
    pub fn token(&self, from: IpAddr, token: &[u8]) -> Result<Login, Refused> {
        let Some(Enforced { settings, users, checks, .. }) = &self.0 else { return Err(Refused::Wrong) };
        let token = HashedToken::of(token);
        if let Some(user) = users.load().of_token(&token) {
            return Ok(Login { name: user.name.clone(), proof: Proof::Token(token) });
        }
        let now_ms = checks.now_ms();
        let refused = match checks.tries.is_blocked(from, settings.load().tries, now_ms) {
            true => Refused::TooManyFromAddress,
            false => Refused::Wrong,
        };
        checks.tries.failed(from, now_ms);
        Err(refused)
    }

    /// The login of a client with this verified certificate, in DER, on a server with users.
    ///
    /// # Errors
    /// The reason why the certificate identifies no user, with its names: a text for the client and the log that
    /// follows "this server has users".
    pub fn certificate(&self, certificate: &[u8]) -> Result<Login, String> {
        let users = self.0.as_ref().map(|enforced| enforced.users.load());
        let found = users.as_ref().ok_or(NoUser::None).and_then(|users| users.of_certificate(certificate));
        let (user, name) = found.map_err(|why| {
            let names = CertificateName::of(certificate);
            let names: Vec<_> = names.iter().map(|name| quote::escaped_text(&name.to_string()).to_string()).collect();
            let names = names.join(", ");
            let names = shortened(&names);
            match why {
                _ if names.is_empty() => "the client's certificate has no name that a user can have".to_owned(),
                NoUser::None => format!(
                    "no user has a name of the client's certificate ({names}); add one to `certificates` of a user"
                ),
                NoUser::Several => format!("several users have names of the client's certificate ({names})"),
            }
        })?;
        Ok(Login { name: user.name.clone(), proof: Proof::Certificate(name) })
    }

    /// Whether clients may send passwords and tokens on a connection, which is not inside TLS and comes from here.
    pub fn allows_without_tls(&self, from: IpAddr) -> bool {
        use crate::settings::config::WithoutTls::{Allow, Loopback, Refuse};
        match self.0.as_ref().map(|enforced| enforced.settings.load().without_tls) {
            None | Some(Refuse) => false,
            Some(Loopback) => from.to_canonical().is_loopback(),
            Some(Allow) => true,
        }
    }

    /// Whether a call is allowed.
    ///
    /// # Errors
    /// The message of HBase's `AccessDeniedException`.
    pub fn check(&self, login: Option<&Login>, need: Need<'_>) -> Result<(), Denied> {
        let Some(enforced) = &self.0 else { return Ok(()) };
        let users = enforced.users.load();
        let Some(login) = login else {
            return Err(Denied("Insufficient permissions: the connection is not logged in".to_owned()));
        };
        let user = users.get(&login.name).filter(|user| login.is_valid_for(user));
        let Some(user) = user else {
            let name = &login.name;
            return Err(Denied(format!(
                "Insufficient permissions (user={name}): its login is no longer valid; log in again"
            )));
        };
        if is_allowed(user, need) { Ok(()) } else { Err(denied(&user.name, need)) }
    }

    /// Logs that a call was denied: each at debug level, and at most one a second for the audit log.
    pub fn log_denial(&self, user: Option<&str>, peer: SocketAddr, method: &str, subject: &str, denied: &Denied) {
        let Some(enforced) = &self.0 else { return };
        let (user, subject, reason) = (user.unwrap_or("-"), &*shortened(subject), denied.to_string());
        let reason = &*shortened(&reason);
        match enforced.denials.next(enforced.checks.now_ms()) {
            Some(hidden) => {
                tracing::info!(target: audit::TARGET, user, %peer, method, subject, reason, hidden, "audit: denied");
            }
            None => tracing::debug!(target: audit::TARGET, user, %peer, method, subject, reason, "audit: denied"),
        }
    }

    /// Logs that a login failed, or that a client did not log in: each at debug level, and at most one a second for the
    /// audit log. `user` is what the client sent.
    pub fn log_failed_login(&self, user: Option<&str>, peer: SocketAddr, reason: &str) {
        let Some(enforced) = &self.0 else { return };
        let (user, reason) = (&*shortened(user.unwrap_or("-")), &*shortened(reason));
        match enforced.failed_logins.next(enforced.checks.now_ms()) {
            Some(hidden) => tracing::info!(target: audit::TARGET, user, %peer, reason, hidden, "audit: login failed"),
            None => tracing::debug!(target: audit::TARGET, user, %peer, reason, "audit: login failed"),
        }
    }

    /// Logs how many denials and failed logins were left out of the audit log, if a second has passed since the last
    /// line about one, or if the server stops.
    pub fn log_hidden(&self, stops: bool) {
        let Some(enforced) = &self.0 else { return };
        let now_ms = if stops { i64::MAX } else { enforced.checks.now_ms() };
        if let Some(hidden) = enforced.denials.rest(now_ms) {
            tracing::info!(target: audit::TARGET, hidden, "audit: further calls were denied");
        }
        if let Some(hidden) = enforced.failed_logins.rest(now_ms) {
            tracing::info!(target: audit::TARGET, hidden, "audit: further logins failed");
        }
    }
}

fn is_allowed(user: &User, need: Need<'_>) -> bool {
    let covers = |role, table: Option<&TableName>| match table {
        Some(table) => user.scope(role).covers(table),
        None => user.scope(role).covers_everything(),
    };
    match need {
        Need::Table(role, table) => covers(role, table),
        Need::Any(table) => Role::ALL.into_iter().any(|role| covers(role, table)),
        Need::Create(table) => {
            let admin = user.scope(Role::Admin);
            table.map_or(admin.covers_everything(), |table| admin.covers_namespace(table.namespace()))
        }
        Need::Namespace(Some(namespace)) => user.scope(Role::Admin).covers_namespace(namespace),
        Need::Namespace(None) | Need::Everything => user.scope(Role::Admin).covers_everything(),
        Need::User => true,
    }
}

/// The message that HBase gives, which differs by the kind of call.
fn denied(user: &str, need: Need<'_>) -> Denied {
    let wanted = |scope: &str, params: &str, action: &str| {
        format!("Insufficient permissions (user={user}, scope={scope}, params=[{params}],action={action})")
    };
    Denied(match need {
        Need::Table(Role::Read, Some(table)) => {
            format!("Insufficient permissions for user '{user}' (table={}, action=READ)", Quoted(table))
        }
        Need::Table(role, Some(table)) => {
            let table = Quoted(table.with_namespace()).to_string();
            wanted(&table, &format!("table={table},"), role.action())
        }
        Need::Any(Some(table)) => {
            format!("Insufficient permissions for user '{user}' (table={}, action=any)", Quoted(table))
        }
        Need::Create(Some(table)) => {
            let namespace = Quoted(table.namespace()).to_string();
            let params = format!("namespace={namespace},table={},", Quoted(table.with_namespace()));
            wanted(&namespace, &params, Role::Admin.action())
        }
        Need::Namespace(Some(namespace)) => {
            let namespace = Quoted(namespace).to_string();
            wanted(&namespace, &format!("namespace={namespace},"), "ADMIN")
        }
        Need::Table(role, None) => {
            format!("Insufficient permissions for user '{user}' (global, action={})", role.action())
        }
        Need::Any(None) | Need::Create(None) | Need::Namespace(None) | Need::Everything | Need::User => {
            format!("Insufficient permissions for user '{user}' (global, action=ADMIN)")
        }
    })
}
