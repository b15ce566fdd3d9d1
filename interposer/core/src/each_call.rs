//! Something for each function of MPI, by the number of the call.

use traces::calls::Call;

/// See the module.
#[repr(transparent)]
pub struct EachCall<T>([T; Call::LIMIT]);

impl<T> EachCall<T> {
    /// In the order of the numbers.
    pub const fn new(all: [T; Call::LIMIT]) -> EachCall<T> {
        EachCall(all)
    }

    /// That of a call.
    #[expect(clippy::indexing_slicing, reason = "the compiler sees that the remainder is below the length")]
    #[inline(always)]
    pub fn of(&self, call: Call) -> &T {
        &self.0[call.number() as usize % Call::LIMIT]
    }
}
