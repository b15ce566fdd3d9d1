//! Where the hashes of tables end: words that lie close together, as handles do, lie far apart by their high bits.

/// A word multiplied by 2^64 over the golden ratio.
#[inline(always)]
pub fn spread(word: u64) -> u64 {
    word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
