//! A value for each function of MPI, by the call's number.

use traces::calls::Call;

#[repr(transparent)]
pub struct EachCall<T>([T; Call::LIMIT]);

impl<T> EachCall<T> {
    /// Takes the values in the order of the calls' numbers.
    pub const fn new(all: [T; Call::LIMIT]) -> EachCall<T> {
        EachCall(all)
    }

    #[expect(clippy::indexing_slicing, reason = "the compiler sees that the remainder is below the length")]
    #[inline(always)]
    pub fn of(&self, call: Call) -> &T {
        &self.0[call.number() as usize % Call::LIMIT]
    }
}
