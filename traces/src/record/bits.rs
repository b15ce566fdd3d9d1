//! The position of a field in a word of a record.

#[derive(Clone, Copy)]
pub struct Bits {
    /// The lowest bit.
    at: u32,
    /// The number of bits.
    pub width: u32,
}

impl Bits {
    /// The field with this name in a word whose fields follow each other from bit `at` on.
    pub(super) const fn find(fields: &[(&str, &str)], name: &str, mut at: u32) -> Option<Bits> {
        let mut field = 0;
        while field < fields.len() {
            let width = width(fields[field].1);
            if is_same(fields[field].0, name) {
                return Some(Bits { at, width });
            }
            at += width;
            field += 1;
        }
        None
    }

    /// The bits of a value beyond the field's width: 0 if the value fits.
    #[inline(always)]
    pub const fn excess(self, value: u64) -> u64 {
        value >> self.width
    }

    /// Whether a signed value fits into the field.
    pub const fn reaches(self, value: i64) -> bool {
        let reach = 1 << (self.width - 1);
        -reach <= value && value < reach
    }

    /// A value that fits, moved to its place in the word.
    #[inline(always)]
    pub const fn put(self, value: u64) -> u64 {
        value << self.at
    }

    /// A signed value that the field [reaches](Bits::reaches), moved to its place in the word.
    pub const fn put_signed(self, value: i64) -> u64 {
        (value as u64) << (64 - self.width) >> (64 - self.width - self.at)
    }

    /// The field's value in a word.
    #[inline(always)]
    pub const fn get(self, word: u64) -> u64 {
        word << (64 - self.width - self.at) >> (64 - self.width)
    }

    /// The field's signed value in a word.
    pub const fn get_signed(self, word: u64) -> i64 {
        (word << (64 - self.width - self.at)) as i64 >> (64 - self.width)
    }
}

/// The width of a type such as `u24` or `i32`.
pub(super) const fn width(of: &str) -> u32 {
    let (digits, mut width, mut at) = (of.as_bytes(), 0, 1);
    while at < digits.len() {
        width = 10 * width + (digits[at] - b'0') as u32;
        at += 1;
    }
    width
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
