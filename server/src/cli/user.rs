//! `hjall user`: creates entries of the users file, and checks the file.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use hjall_server::access::{
    CertificateName, HashedPassword, HashedToken, Role, Scope, User, Users, UsersError, check_name, generate_token,
};
use hjall_server::settings::{Effective, Refused, Sources, StartupOptions, named_file};
use toml_edit::{DocumentMut, Item, TableLike};

use super::exit::Failure;
use super::output::{self, say};
use super::users_file::{self, Replacement};

/// A parsed `hjall user`.
pub enum UserCommand {
    /// `hjall user hash`.
    Hash,
    /// `hjall user token`.
    Token,
    /// `hjall user add`.
    Add(Sources, Box<NewUser>),
    /// `hjall user passwd`, with the name of the user.
    Passwd(Sources, String),
    /// `hjall user remove`, with the name of the user.
    Remove(Sources, String),
    /// `hjall user check`, with the name of a user whose password is checked too.
    Check(Sources, Option<String>),
}

/// The user to add.
pub struct NewUser {
    name: String,
    password: bool,
    token: bool,
    certificates: Vec<String>,
    roles: [Vec<String>; Role::ALL.len()],
}

const HELP: &str = "\
The users file is the setting auth.users: --users FILE. It is TOML:

  [users.alice]
  password = \"$argon2id$v=19$m=19456,t=2,p=1$...\"   # printed by `hjall user hash`
  tokens = [\"sha256:...\"]                          # printed by `hjall user token`
  certificates = [\"cn:alice\"]                      # or dns:, email:, uri:, subject:
  read = [\"*\"]                                     # everything
  write = [\"sales:*\", \"users\"]                     # a namespace, and a table of the namespace default
  admin = []                                       # nothing

No role includes another. SIGHUP makes a running server read the file again.";

const ADD_HELP: &str = "\
Asks for the password, or reads the first line of standard input. The file is created if it does not
exist, readable by its owner only. Existing text stays as it is, and so do the owner, the group and
the mode of the file.

Examples:
  hjall user add alice --users users.toml --read '*' --write 'sales:*'
  hjall user add service --users users.toml --no-password --token --read sales:orders";

/// The command. `options` adds the options that all commands with settings share.
pub fn command(options: fn(Command) -> Command) -> Command {
    let name = |required| Arg::new("name").value_name("NAME").required(required).help("Name of the user");
    let pattern = |role: Role, help: &'static str| {
        Arg::new(role.name()).long(role.name()).value_name("TABLES").action(ArgAction::Append).help(help)
    };
    let add = Command::new("add")
        .about("Add a user to the users file")
        .after_help(ADD_HELP)
        .arg(name(true))
        .arg(pattern(
            Role::Read,
            "Tables that the user may read: *, NAMESPACE:*, NAMESPACE:TABLE or TABLE. May be repeated",
        ))
        .arg(pattern(Role::Write, "Tables that the user may write. May be repeated"))
        .arg(pattern(Role::Admin, "Tables that the user may create, change and drop. May be repeated"))
        .arg(
            Arg::new("certificate")
                .long("certificate")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Name in a client certificate: cn:, dns:, email:, uri: or subject:. May be repeated"),
        )
        .arg(Arg::new("token").long("token").action(ArgAction::SetTrue).help("Make a bearer token, and print it"))
        .arg(Arg::new("no-password").long("no-password").action(ArgAction::SetTrue).help("Do not ask for a password"));
    let passwd = Command::new("passwd")
        .about("Change the password of a user")
        .after_help("Asks for the password, or reads the first line of standard input.")
        .arg(name(true));
    let remove = Command::new("remove").about("Remove a user from the users file").arg(name(true));
    let check = Command::new("check")
        .about("Check the users file, and the password of a user if one is named")
        .arg(name(false));
    // The flag of `hjall serve` also means that clients need no login without it.
    let users = |command: Command| options(command).mut_arg("users", |users| users.help("The users file"));
    Command::new("user")
        .about("Make entries of the users file, and check it")
        .after_help(HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("hash").about("Ask for a password, or read it from standard input, and print its hash"),
        )
        .subcommand(Command::new("token").about("Make a bearer token, and print it with its hash"))
        .subcommand(users(add))
        .subcommand(users(passwd))
        .subcommand(users(remove))
        .subcommand(users(check))
}

/// Parses the command. `sources` finds the sources of settings in the options of a subcommand.
pub fn parse(matches: &ArgMatches, sources: impl FnOnce(&ArgMatches) -> Sources) -> UserCommand {
    let text = |matches: &ArgMatches, name: &str| matches.get_one::<String>(name).cloned();
    let list = |matches: &ArgMatches, name: &str| -> Vec<String> {
        matches.get_many::<String>(name).into_iter().flatten().cloned().collect()
    };
    match matches.subcommand() {
        Some(("token", _)) => UserCommand::Token,
        Some(("add", matches)) => {
            let user = NewUser {
                name: text(matches, "name").unwrap_or_default(),
                password: !matches.get_flag("no-password"),
                token: matches.get_flag("token"),
                certificates: list(matches, "certificate"),
                roles: Role::ALL.map(|role| list(matches, role.name())),
            };
            UserCommand::Add(sources(matches), Box::new(user))
        }
        Some(("passwd", matches)) => UserCommand::Passwd(sources(matches), text(matches, "name").unwrap_or_default()),
        Some(("remove", matches)) => UserCommand::Remove(sources(matches), text(matches, "name").unwrap_or_default()),
        Some(("check", matches)) => UserCommand::Check(sources(matches), text(matches, "name")),
        // clap requires a subcommand.
        _ => UserCommand::Hash,
    }
}

/// Runs the command.
pub fn run(command: UserCommand) -> Result<(), Failure> {
    match command {
        UserCommand::Hash => {
            let hash = HashedPassword::new(new_password()?.as_bytes()).map_err(Failure::Usage)?;
            say(hash.as_str());
            Ok(())
        }
        UserCommand::Token => {
            let token = generate_token().map_err(Failure::Usage)?;
            say(&format!("token: {token}"));
            say(&format!("hash:  {}", HashedToken::of(token.as_bytes())));
            Ok(())
        }
        UserCommand::Add(sources, user) => add(&users_file(&sources)?, &user),
        UserCommand::Passwd(sources, name) => {
            let path = users_file(&sources)?;
            // Before the prompt, so that an unknown user is reported first.
            edited(&named_file::read_text(&path).unwrap_or_default(), &path, &name)?;
            let hash = HashedPassword::new(new_password()?.as_bytes()).map_err(Failure::Usage)?;
            change(&path, &name, "changed the password of", |users| {
                if let Some(user) = users.get_mut(&name).and_then(Item::as_table_like_mut) {
                    user.insert("password", toml_edit::value(hash.as_str()));
                }
            })
        }
        UserCommand::Remove(sources, name) => {
            change(&users_file(&sources)?, &name, "removed", |users| drop(users.remove(&name)))
        }
        UserCommand::Check(sources, name) => check(&users_file(&sources)?, name.as_deref()),
    }
}

/// The file that the settings name.
fn users_file(sources: &Sources) -> Result<PathBuf, Failure> {
    let effective = Effective::read(sources).map_err(Failure::Settings)?;
    let startup = StartupOptions::of(&effective).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
    let missing = || Failure::Usage("there is no users file; name one with --users".to_owned());
    startup.config.auth.users.ok_or_else(missing)
}

fn add(path: &Path, user: &NewUser) -> Result<(), Failure> {
    let usage = |why: String| Failure::Usage(why);
    check_name(&user.name).map_err(|why| usage(format!("the name {why}")))?;
    if !user.password && !user.token && user.certificates.is_empty() {
        return Err(usage(format!(
            "{} could never log in: leave out --no-password, or add --token or --certificate NAME",
            user.name
        )));
    }
    for (role, patterns) in Role::ALL.into_iter().zip(&user.roles) {
        for pattern in patterns {
            Scope::default().add(pattern).map_err(|why| {
                let role = role.name();
                if pattern.contains(',') {
                    return usage(format!(
                        "--{role} {pattern:?} names several tables: repeat --{role} for each of them"
                    ));
                }
                usage(format!("--{role} {pattern:?} is neither *, NAMESPACE:*, NAMESPACE:TABLE nor TABLE: {why}"))
            })?;
        }
    }
    for certificate in &user.certificates {
        CertificateName::parse(certificate).ok_or_else(|| {
            usage(format!("--certificate {certificate:?} begins with none of subject:, cn:, dns:, email: and uri:"))
        })?;
    }
    let path = &users_file::resolve(path).map_err(usage)?;
    // This comes before the prompt for the password, so that a file that cannot be changed is reported first.
    read_without(path, &user.name)?;
    drop(Replacement::begin(path).map_err(usage)?);
    let mut lines = vec![format!("[users.{}]", quoted(&user.name))];
    if user.password {
        let hash = HashedPassword::new(new_password()?.as_bytes()).map_err(usage)?;
        lines.push(format!("password = {}", quoted(hash.as_str())));
    }
    let token = user.token.then(generate_token).transpose().map_err(usage)?;
    if let Some(token) = &token {
        lines.push(format!("tokens = [{}]", quoted(&HashedToken::of(token.as_bytes()).to_string())));
    }
    if !user.certificates.is_empty() {
        lines.push(format!("certificates = {}", list(&user.certificates)));
    }
    for (role, patterns) in Role::ALL.into_iter().zip(&user.roles) {
        lines.push(format!("{} = {}", role.name(), list(patterns)));
    }
    let failed = |error: io::Error| usage(format!("{}: cannot be written: {error}", path.display()));
    let _lock = users_file::lock(path).map_err(failed)?;
    let before = read_without(path, &user.name)?;
    let gap = if before.is_empty() || before.ends_with("\n\n") || before.ends_with("\r\n\r\n") { "" } else { "\n" };
    let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let after = users_file::in_form_of(&before, format!("{before}{end}{gap}{}\n", lines.join("\n")));
    Users::parse(&after, path).map_err(|error: UsersError| usage(error.to_string()))?;
    let is_new = !path.exists();
    let replacement = Replacement::begin(path).map_err(usage)?.written(&after).map_err(failed)?;
    if let Some(token) = token {
        // Before the file changes: nothing else has the token. For the same reason, a closed pipe is an error here.
        output::write(&format!("token: {token}\n")).map_err(|error| {
            usage(format!("{}; the user was not added, since the token is shown once", output::cannot_write(&error)))
        })?;
    }
    replacement.finish().map_err(failed)?;
    say(&format!("added {} to {}; a running server reads it on SIGHUP", user.name, path.display()));
    if user.roles.iter().all(Vec::is_empty) {
        eprintln!("hjall: {} has no role, so it may do nothing yet; --read, --write and --admin give roles", user.name);
    }
    if is_new {
        warn_if_of_root(path);
    }
    Ok(())
}

/// Parses the text of a users file, which has to have a user of this name.
fn edited(text: &str, path: &Path, name: &str) -> Result<DocumentMut, Failure> {
    let users = Users::parse(text, path).map_err(|error| Failure::Usage(error.to_string()))?;
    users.get(name).ok_or_else(|| Failure::Usage(format!("{}: there is no user {name}", path.display())))?;
    text.parse().map_err(|_| Failure::Usage(format!("{}: cannot be changed; edit it", path.display())))
}

/// Changes the entry of a user. The rest of the file stays as it is.
fn change(path: &Path, name: &str, done: &str, edit: impl FnOnce(&mut dyn TableLike)) -> Result<(), Failure> {
    let path = &users_file::resolve(path).map_err(Failure::Usage)?;
    let failed = |error: io::Error| Failure::Usage(format!("{}: cannot be written: {error}", path.display()));
    let _lock = users_file::lock(path).map_err(failed)?;
    let before = named_file::read_text(path)
        .map_err(|error| Failure::Usage(format!("{}: cannot be read: {error}", path.display())))?;
    let mut document = edited(&before, path, name)?;
    if let Some(users) = document.get_mut("users").and_then(Item::as_table_like_mut) {
        edit(users);
    }
    let after = users_file::in_form_of(&before, document.to_string());
    let users = Users::parse(&after, path).map_err(|error| Failure::Usage(error.to_string()))?;
    let replacement = Replacement::begin(path).map_err(Failure::Usage)?.written(&after).map_err(failed)?;
    replacement.finish().map_err(failed)?;
    say(&format!("{done} {name} in {}; a running server reads it on SIGHUP", path.display()));
    if !users.can_log_in() {
        super::log::say(format!(
            "hjall: warning: {} has no user left who can log in; a running server keeps its users on SIGHUP",
            path.display()
        ));
    }
    Ok(())
}

/// Warns root that a server of another user cannot read the new file.
fn warn_if_of_root(path: &Path) {
    #[cfg(unix)]
    if fs::metadata(path).is_ok_and(|made| std::os::unix::fs::MetadataExt::uid(&made) == 0) {
        let path = path.display();
        super::log::say(format!(
            "hjall: {path} belongs to root: if the server runs as another user, run chown USER {path}, so that it can read the file"
        ));
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// The text of a users file, or nothing if there is none. Fails if the file has a user of this name.
fn read_without(path: &Path, name: &str) -> Result<String, Failure> {
    let text = match named_file::read_text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::Usage(format!("{}: cannot be read: {error}", path.display()))),
    };
    let users = Users::parse(&text, path).map_err(|error| Failure::Usage(error.to_string()))?;
    match users.get(name) {
        None => Ok(text),
        Some(_) => Err(Failure::Usage(format!(
            "{} already has a user {name}; change it with `hjall user passwd {name}` or `hjall user remove {name}`, or edit the entry there",
            path.display()
        ))),
    }
}

fn quoted(text: &str) -> String {
    // A JSON string is a TOML string, too.
    serde_json::Value::from(text).to_string()
}

fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}

fn check(path: &Path, name: Option<&str>) -> Result<(), Failure> {
    let users = Users::read(path).map_err(|error| Failure::Usage(error.to_string()))?;
    let Some(name) = name else {
        for user in users.all() {
            say(&described(user));
        }
        for line in users.warnings(path) {
            super::log::say(format!("hjall: warning: {line}"));
        }
        return Ok(());
    };
    let user = users.get(name).ok_or_else(|| Failure::Usage(format!("{}: there is no user {name}", path.display())))?;
    say(&described(user));
    let Some(hash) = &user.password else {
        say("no password: the user logs in with a token or a certificate");
        return Ok(());
    };
    match hash.matches(password("Password: ")?.as_bytes()) {
        true => {
            say("the password is right");
            Ok(())
        }
        false => Err(Failure::Usage("the password is wrong".to_owned())),
    }
}

/// A line about a user, without secrets.
fn described(user: &User) -> String {
    let mut logins = Vec::new();
    logins.extend(user.password.as_ref().map(|_| "password".to_owned()));
    logins.extend(match user.tokens.len() {
        0 => None,
        1 => Some("1 token".to_owned()),
        count => Some(format!("{count} tokens")),
    });
    logins.extend(user.certificates.iter().map(ToString::to_string));
    let logins = if logins.is_empty() { "no login".to_owned() } else { logins.join(", ") };
    let roles: Vec<_> = Role::ALL
        .into_iter()
        .filter(|role| !user.scope(*role).is_empty())
        .map(|role| format!("{}: {}", role.name(), user.scope(role)))
        .collect();
    let roles = if roles.is_empty() { "no roles".to_owned() } else { roles.join("; ") };
    format!("{} ({logins}) {roles}", user.name)
}

/// A password that is typed twice on a terminal.
fn new_password() -> Result<String, Failure> {
    let first = password("Password: ")?;
    if io::stdin().is_terminal() && password("Again: ")? != first {
        return Err(Failure::Usage("the passwords differ".to_owned()));
    }
    Ok(first)
}

/// Prompts for a password on a terminal without showing it, or reads the first line of standard input.
fn password(prompt: &str) -> Result<String, Failure> {
    let read = match io::stdin().is_terminal() {
        true => rpassword::prompt_password(prompt),
        false => io::read_to_string(io::Read::take(io::stdin(), 64 << 10))
            .map(|text| text.lines().next().unwrap_or_default().to_owned()),
    };
    read.map_err(|error| Failure::Usage(format!("the password cannot be read: {error}")))
}
