//! Numbers as few bytes as they need, which a page decodes: seven bits a byte, the lowest first.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes being written. The encodings of fields take the same field of the record before, too.
#[derive(Clone, Default, Debug)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    pub fn number(&mut self, number: u64, _last: u64) {
        self.put(number);
    }

    /// A number that may be negative: small ones of both signs are short.
    pub fn signed(&mut self, number: i64, _last: i64) {
        self.put(((number << 1) ^ (number >> 63)) as u64);
    }

    /// A number that is near the one before.
    pub fn since(&mut self, number: i64, last: i64) {
        self.signed(number - last, 0);
    }

    /// One more than the number, or 0 where there is none.
    pub fn optional(&mut self, number: Option<u64>, _last: Option<u64>) {
        self.put(number.map_or(0, |number| number.saturating_add(1)));
    }

    /// The length of a list.
    pub fn length(&mut self, length: usize) {
        self.put(length as u64);
    }

    #[inline]
    fn put(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
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
