//! The last step of the tables' hashes: close words, such as handles, get high bits that are far apart.

/// The word times 2^64 over the golden ratio (Fibonacci hashing).
#[inline(always)]
pub fn spread(word: u64) -> u64 {
    word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
