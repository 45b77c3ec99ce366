//! Bearer tokens: 256 random bits, of which the users file has the SHA-256 hash.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::digest;
use ring::rand::{SecureRandom, SystemRandom};

/// The prefix of every token, by which secret scanners recognise it.
const PREFIX: &str = "hjall_";
/// The prefix of the hash in the users file.
const SCHEME: &str = "sha256:";

/// The hash of a token. A token is random, so that a fast hash protects it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HashedToken([u8; 32]);

impl fmt::Debug for HashedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashedToken")
    }
}

/// The text for the users file.
impl fmt::Display for HashedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SCHEME)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl HashedToken {
    /// The hash of a token that a client sent.
    pub fn of(token: &[u8]) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest::digest(&digest::SHA256, token).as_ref());
        Self(hash)
    }

    /// Parses the text of the users file.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix(SCHEME).filter(|hex| hex.len() == 64 && hex.is_ascii())?;
        let mut hash = [0; 32];
        for (byte, digits) in hash.iter_mut().zip(hex.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.contains('+'))?;
            *byte = u8::from_str_radix(digits, 16).ok()?;
        }
        Some(Self(hash))
    }
}

/// A new token.
///
/// # Errors
/// The operating system gives no random bytes.
pub fn generate() -> Result<String, String> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).map_err(|_| "the operating system gives no random bytes".to_owned())?;
    Ok(format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_a_hash_of_the_token() {
        let token = generate().unwrap();
        assert!(token.starts_with(PREFIX) && token.len() == PREFIX.len() + 43, "{token}");
        let hash = HashedToken::of(token.as_bytes());
        assert_eq!(HashedToken::parse(&hash.to_string()), Some(hash));
        assert_ne!(hash, HashedToken::of(generate().unwrap().as_bytes()));
        assert_eq!(
            HashedToken::of(b"abc").to_string(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        for wrong in ["", "sha256:", "sha256:ba78", &"a".repeat(64), &format!("sha256:{}", "+a".repeat(32))] {
            assert_eq!(HashedToken::parse(wrong), None, "{wrong}");
        }
    }
}
