//! Passwords, hashed with Argon2id.

use std::fmt;
use std::sync::Arc;

use argon2::password_hash::PasswordHasher;
use argon2::password_hash::phc::{Output, PasswordHash};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use ring::rand::{SecureRandom, SystemRandom};

/// The longest password, in bytes.
pub const PASSWORD_BYTES_MAX: usize = 1024;

/// The most memory that checking a password may take, in KiB.
const MEMORY_MAX_KIB: u32 = 256 << 10;
/// The most passes over that memory.
const PASSES_MAX: u32 = 16;
/// The most lanes.
const LANES_MAX: u32 = 16;
const SALT_BYTES: usize = 16;

/// The hash of a password, as a string in the PHC format: `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`.
#[derive(Clone, PartialEq, Eq)]
pub struct HashedPassword(Arc<str>);

/// Leaves out the hash itself.
impl fmt::Debug for HashedPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashedPassword")
    }
}

impl HashedPassword {
    /// Hashes a password with a new salt, and the parameters that OWASP recommends: 19 MiB, two passes, one lane.
    ///
    /// # Errors
    /// The password is empty or too long, or the operating system gives no random bytes.
    pub fn new(password: &[u8]) -> Result<Self, String> {
        if password.is_empty() || password.len() > PASSWORD_BYTES_MAX {
            return Err(format!("the password must have 1 to {PASSWORD_BYTES_MAX} bytes"));
        }
        if password.contains(&0) {
            return Err("the password has a NUL character, which SASL PLAIN cannot carry; leave it out".to_owned());
        }
        Self::with(Params::default(), password)
    }

    fn with(params: Params, password: &[u8]) -> Result<Self, String> {
        let mut salt = [0; SALT_BYTES];
        SystemRandom::new().fill(&mut salt).map_err(|_| "the operating system gives no random bytes".to_owned())?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: PasswordHash =
            argon2.hash_password_with_salt(password, &salt).map_err(|error| format!("cannot hash it: {error}"))?;
        Ok(Self(hash.to_string().into()))
    }

    /// Parses the text of the users file.
    ///
    /// # Errors
    /// It is not the hash of a password, or checking it would take too much memory or time.
    pub fn parse(text: &str) -> Result<Self, String> {
        let hash = PasswordHash::new(text).map_err(|_| {
            "must be a hash that `hjall user hash` printed, such as $argon2id$v=19$m=19456,t=2,p=1$…".to_owned()
        })?;
        if hash.algorithm.as_str() != "argon2id" || hash.version != Some(19) {
            return Err("must be hashed with argon2id in version 19".to_owned());
        }
        let params = Params::try_from(&hash).map_err(|error| format!("has unusable parameters: {error}"))?;
        if params.m_cost() > MEMORY_MAX_KIB || params.t_cost() > PASSES_MAX || params.p_cost() > LANES_MAX {
            return Err(format!(
                "takes too much to check: at most m={MEMORY_MAX_KIB}, t={PASSES_MAX}, p={LANES_MAX} are allowed"
            ));
        }
        if hash.salt.is_none() || hash.hash.is_none() {
            return Err("has no salt or no hash".to_owned());
        }
        Ok(Self(text.into()))
    }

    /// A hash that no password has, and that takes as long to check as the slowest of these.
    pub fn unmatched<'a>(others: impl Iterator<Item = &'a Self>) -> Result<Self, String> {
        let params = others
            .filter_map(Self::params)
            .max_by_key(|params| u64::from(params.m_cost()) * u64::from(params.t_cost()));
        let mut password = [0; 32];
        SystemRandom::new().fill(&mut password).map_err(|_| "the operating system gives no random bytes".to_owned())?;
        Self::with(params.unwrap_or_default(), &password)
    }

    fn params(&self) -> Option<Params> {
        Params::try_from(&PasswordHash::new(&self.0).ok()?).ok()
    }

    /// Whether the password has this hash. Takes tens of milliseconds and megabytes of memory.
    pub fn matches(&self, password: &[u8]) -> bool {
        self.matches_within(password, &mut Vec::new())
    }

    /// As [`Self::matches`]. `memory` is enlarged if necessary, and can be used again.
    pub fn matches_within(&self, password: &[u8], memory: &mut Vec<Block>) -> bool {
        self.checked(password, memory).unwrap_or(false)
    }

    fn checked(&self, password: &[u8], memory: &mut Vec<Block>) -> Option<bool> {
        let hash = PasswordHash::new(&self.0).ok()?;
        let (salt, expected) = (hash.salt?, hash.hash?);
        let params = Params::try_from(&hash).ok()?;
        let blocks = params.block_count();
        if memory.len() < blocks {
            memory.resize_with(blocks, Block::default);
        }
        let mut found = vec![0; expected.len()];
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        argon2.hash_password_into_with_memory(password, &salt, &mut found, memory.get_mut(..blocks)?).ok()?;
        // Compares in constant time.
        Some(Output::new(&found).ok()? == expected)
    }

    /// The text for the users file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_its_password_and_no_other() {
        let hash = HashedPassword::new(b"correct horse").unwrap();
        let again = HashedPassword::parse(hash.as_str()).unwrap();
        assert!(again.matches(b"correct horse") && !again.matches(b"correct Horse") && !again.matches(b""));
        assert!(hash.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.as_str());
        assert_ne!(hash, HashedPassword::new(b"correct horse").unwrap(), "the salt differs");
        assert_eq!(format!("{hash:?}"), "HashedPassword");
        assert!(HashedPassword::new(b"").is_err() && HashedPassword::new(&[b'x'; 1025]).is_err());
    }

    #[test]
    fn hashes_that_are_not_ours_or_cost_too_much_are_refused() {
        for wrong in [
            "",
            "secret",
            "$2y$05$abcdefghijklmnopqrstuu5Lkl",
            "$argon2i$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=16$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=19$m=19456,t=4000,p=1$c2FsdHNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0",
            "$argon2id$v=19$m=19456,t=2,p=1",
        ] {
            assert!(HashedPassword::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_unmatched_hash_costs_as_much_as_the_slowest() {
        let slow = "$argon2id$v=19$m=64,t=3,p=1$c2FsdHNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let slow = HashedPassword::parse(slow).unwrap();
        let unmatched = HashedPassword::unmatched([&slow].into_iter()).unwrap();
        assert!(unmatched.as_str().starts_with("$argon2id$v=19$m=64,t=3,p=1$"), "{}", unmatched.as_str());
        assert!(!unmatched.matches(b"") && !unmatched.matches(b"secret"));
    }
}
