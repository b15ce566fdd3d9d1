//! What an account keeps beside sums.

use bitflags::bitflags;

bitflags! {
    /// What an account keeps beside sums: one walk through the calls finds all of it, and each takes memory.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct Follow: u16 {
        /// What calls depend on.
        const DEPENDENCIES = 1;
        /// Each wait as a way to another rank.
        const JUMPS = 1 << 1;
        /// Each wait with its times.
        const SPANS = 1 << 2;
        /// What messages took.
        const TRANSFERS = 1 << 3;
        /// Each message, from its begin to its end.
        const DELIVERIES = 1 << 4;
        /// What collective calls from and to a root hand over, likewise.
        const HANDED_OVER = 1 << 5;
        /// Each message, with all that is known of it.
        const MESSAGES = 1 << 6;
        /// Collective operations as a whole.
        const OPERATIONS = 1 << 7;
        /// Each rank's part in each of them.
        const JOINED = 1 << 8;
    }
}
