//! Numbers as few bytes as they need, which a page decodes: seven bits a byte, the lowest first.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes being written.
#[derive(Clone, Default, Debug)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    /// A number.
    #[inline]
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A number that may be negative: small ones of both signs are short.
    #[inline]
    pub fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)) as u64);
    }

    /// Those of another.
    pub fn append(&mut self, other: &Bytes) {
        self.0.extend_from_slice(&other.0);
    }

    /// As text that any file can hold.
    pub fn text(&self) -> String {
        STANDARD.encode(&self.0)
    }
}
