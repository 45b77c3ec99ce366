//! Checks of passwords: on separate threads, a few at a time, each credential once.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::Builder;

use hjall_engine::clock::Clock;
use ring::{hmac, rand};
use tokio::sync::{OnceCell, oneshot};

use super::network::network;
use super::password::{HashedPassword, PASSWORD_BYTES_MAX};
use super::tries::{Reached, Tries};
use super::users::User;
use super::waiting::Waiting;
use crate::settings::config::AuthSettings;

/// The largest number of waiting checks. Beyond it, the address with the most waiting checks gives places to others.
const WAITING_MAX: usize = 64;
/// The largest number of verified credentials that are remembered.
const VERIFIED_MAX: usize = 4096;

/// Why a login failed. Displays the reason for the client and the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The user, the password or the token is wrong. The client does not learn which of them.
    Wrong,
    /// There were too many failures with this name from this address.
    TooManyOfName,
    /// There were too many failures from this address.
    TooManyFromAddress,
    /// Too many checks of passwords wait.
    Busy,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong => f.write_str("the user, the password or the token is wrong"),
            Self::TooManyOfName => {
                f.write_str("too many logins of this user have failed from this address; wait a minute")
            }
            Self::TooManyFromAddress => f.write_str("too many logins have failed from this address; wait a minute"),
            Self::Busy => f.write_str("too many passwords are being checked; try again"),
        }
    }
}

/// A keyed hash of a user, a password, and the hash that the password is checked against. The key is random and never
/// leaves the process, so that a credential cannot be found by trying passwords on a copy of the memory of another one.
type Credential = [u8; 32];

/// Checks passwords for all connections.
pub struct Checks {
    key: hmac::Key,
    waiting: Arc<Waiting<Job>>,
    /// Verified credentials, each with the time until which it is remembered.
    verified: Mutex<HashMap<Credential, i64>>,
    /// Checks that run or wait. Connections that send the same credential share one.
    running: Mutex<HashMap<Credential, Weak<OnceCell<bool>>>>,
    pub(super) tries: Tries,
    clock: Arc<dyn Clock>,
}

/// A password that waits for a thread.
struct Job {
    hash: HashedPassword,
    password: Vec<u8>,
    matches: oneshot::Sender<bool>,
}

/// One credential, and where it comes from.
struct Check<'a> {
    credential: Credential,
    from: IpAddr,
    name: &'a str,
    hash: &'a HashedPassword,
    password: &'a [u8],
}

impl Checks {
    /// Checks on this many threads, which end when the value is dropped.
    ///
    /// # Errors
    /// The operating system gives no random bytes or no thread.
    pub fn new(threads: usize, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &rand::SystemRandom::new());
        let key = key.map_err(|_| "the operating system gives no random bytes".to_owned())?;
        let (verified, running) = (Mutex::default(), Mutex::default());
        let waiting = Arc::new(Waiting::<Job>::new(WAITING_MAX));
        // Dropped if a thread cannot be started, which ends the others.
        let checks = Self { key, waiting, verified, running, tries: Tries::default(), clock };
        for number in 0..threads.max(1) {
            let waiting = checks.waiting.clone();
            let run = move || {
                // The memory is reused, because the allocator would keep much of what each check allocates.
                let mut memory = Vec::new();
                while let Some(Job { hash, password, matches }) = waiting.next() {
                    // The client may have disconnected.
                    if !matches.is_closed() {
                        let _ = matches.send(hash.matches_within(&password, &mut memory));
                    }
                }
            };
            let thread = Builder::new().name(format!("hjall-login-{number}")).spawn(run);
            thread.map_err(|error| format!("the operating system gives no thread: {error}"))?;
        }
        Ok(checks)
    }

    /// The time by the clock of the checks.
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Checks a password. `name` is what the client sent. A user who does not exist or has no password is refused after
    /// the same time, for which `unmatched` is checked, and after as many failures.
    pub async fn password(
        &self,
        settings: &AuthSettings,
        from: IpAddr,
        name: &str,
        user: Option<&User>,
        unmatched: &HashedPassword,
        password: &[u8],
    ) -> Result<(), Refused> {
        if password.len() > PASSWORD_BYTES_MAX {
            return Err(Refused::Wrong);
        }
        let (max, now_ms) = (settings.tries, self.clock.now_ms());
        let standing = self.tries.standing(from, name, max, now_ms);
        // This comes first: otherwise a blocked address could find a password by trying remembered ones.
        if standing.reached == Some(Reached::Name) {
            return Err(Refused::TooManyOfName);
        }
        let known = user.and_then(|user| user.password.as_ref());
        let hash = known.unwrap_or(unmatched);
        let credential = self.credential(name, hash, password);
        if known.is_some() && standing.may_compare && self.is_verified(&credential, now_ms) {
            self.tries.logged_in(from, name, now_ms);
            return Ok(());
        }
        if standing.reached == Some(Reached::Address) {
            self.tries.guessed(from, name, now_ms);
            return Err(Refused::TooManyFromAddress);
        }
        let check = Check { credential, from, name, hash, password };
        match self.shared(settings, check).await {
            Ok(true) if known.is_some() => Ok(()),
            Ok(_) => Err(Refused::Wrong),
            Err(refused) => Err(refused),
        }
    }

    /// Runs a check, or waits for the one of another connection with the same credential.
    async fn shared(&self, settings: &AuthSettings, check: Check<'_>) -> Result<bool, Refused> {
        let cell = {
            let mut running = lock(&self.running);
            match running.get(&check.credential).and_then(Weak::upgrade) {
                Some(cell) => cell,
                None => {
                    running.retain(|_, cell| cell.strong_count() > 0);
                    let cell = Arc::new(OnceCell::new());
                    running.insert(check.credential, Arc::downgrade(&cell));
                    cell
                }
            }
        };
        cell.get_or_try_init(|| self.run(settings, &check)).await.copied()
    }

    async fn run(&self, settings: &AuthSettings, check: &Check<'_>) -> Result<bool, Refused> {
        let begun = self.tries.begin(check.from, check.name, settings.tries, self.clock.now_ms());
        let begun = begun.map_err(|reached| {
            // While other checks of the name run, passwords are still compared with remembered ones.
            self.tries.guessed(check.from, check.name, self.clock.now_ms());
            match reached {
                Reached::Name => Refused::TooManyOfName,
                Reached::Address => Refused::TooManyFromAddress,
            }
        })?;
        let (matches, checked) = oneshot::channel();
        let job = Job { hash: check.hash.clone(), password: check.password.to_vec(), matches };
        let waits = self.waiting.push(network(check.from), job).is_ok();
        // An error if the check has lost its place in the queue.
        let checked = if waits { checked.await.ok() } else { None };
        let Some(is_right) = checked else {
            // No password was checked, so no login has failed.
            begun.succeeded();
            return Err(Refused::Busy);
        };
        if is_right {
            begun.succeeded();
            self.remember(settings, check.credential);
        }
        Ok(is_right)
    }

    /// The fields are preceded by their lengths, so that no two credentials have the same bytes.
    fn credential(&self, name: &str, hash: &HashedPassword, password: &[u8]) -> Credential {
        let mut context = hmac::Context::with_key(&self.key);
        for field in [name.as_bytes(), hash.as_str().as_bytes(), password] {
            context.update(&(field.len() as u64).to_be_bytes());
            context.update(field);
        }
        let mut credential = [0; 32];
        credential.copy_from_slice(context.sign().as_ref());
        credential
    }

    fn is_verified(&self, credential: &Credential, now_ms: i64) -> bool {
        lock(&self.verified).get(credential).is_some_and(|until_ms| now_ms < *until_ms)
    }

    fn remember(&self, settings: &AuthSettings, credential: Credential) {
        let Some(time) = settings.cache else { return };
        let now_ms = self.clock.now_ms();
        let until_ms = now_ms.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
        let mut verified = lock(&self.verified);
        if verified.len() >= VERIFIED_MAX {
            verified.retain(|_, until_ms| now_ms < *until_ms);
        }
        if verified.len() < VERIFIED_MAX {
            verified.insert(credential, until_ms);
        }
    }

    /// Forgets all verified credentials.
    pub fn forget(&self) {
        lock(&self.verified).clear();
    }
}

impl Drop for Checks {
    fn drop(&mut self) {
        self.waiting.close();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use hjall_engine::clock::ManualClock;

    use super::*;

    #[test]
    fn remembered_passwords_cannot_be_guessed_while_checks_run() {
        let checks = Checks::new(1, Arc::new(ManualClock::at(0))).unwrap();
        let hash = HashedPassword::new(b"right").unwrap();
        let alice = User { password: Some(hash.clone()), ..User::new("alice") };
        let settings = AuthSettings { tries: 2, ..AuthSettings::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let log_in = |address: u8, password: &str| {
            let from = [10, 0, 0, address].into();
            runtime.block_on(checks.password(&settings, from, "alice", Some(&alice), &hash, password.as_bytes()))
        };
        assert_eq!(log_in(1, "right"), Ok(()));
        let begin = || checks.tries.begin([10, 0, 0, 2].into(), "alice", 2, 0).unwrap();
        let _running = [begin(), begin()];
        assert_eq!(log_in(2, "right"), Ok(()), "it is remembered");
        for _ in 0..2 {
            assert_eq!(log_in(2, "wrong"), Err(Refused::TooManyOfName));
        }
        assert_eq!(log_in(2, "right"), Err(Refused::TooManyOfName), "which a guesser must not learn");
        assert_eq!(log_in(1, "right"), Ok(()), "another address");
    }
}
