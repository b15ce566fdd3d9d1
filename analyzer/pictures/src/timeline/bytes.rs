//! Variable-length integers (LEB128) that a page decodes: seven bits per byte, the lowest first.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// An output buffer. Every encoding also takes the previous record's value of the field; only some use it.
#[derive(Clone, Default, Debug)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    pub fn number(&mut self, number: u64, _last: u64) {
        self.put(number);
    }

    /// Zigzag encoding: small numbers of both signs are short.
    pub fn signed(&mut self, number: i64, _last: i64) {
        self.put(((number << 1) ^ (number >> 63)) as u64);
    }

    /// Difference from the previous number.
    pub fn since(&mut self, number: i64, last: i64) {
        self.signed(number - last, 0);
    }

    /// The number plus 1, or 0 for `None`.
    pub fn optional(&mut self, number: Option<u64>, _last: Option<u64>) {
        self.put(number.map_or(0, |number| number.saturating_add(1)));
    }

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

    pub fn append(&mut self, other: &Bytes) {
        self.0.extend_from_slice(&other.0);
    }

    /// Base64.
    pub fn text(&self) -> String {
        STANDARD.encode(&self.0)
    }
}
