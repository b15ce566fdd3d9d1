//! Selects what an account records in addition to sums.

use bitflags::bitflags;

bitflags! {
    /// Details that an account records in addition to sums. One walk through the calls finds all; each costs memory.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct Follow: u16 {
        /// Dependencies between calls.
        const DEPENDENCIES = 1;
        /// Each wait as a jump to another rank.
        const JUMPS = 1 << 1;
        /// Each wait with its times.
        const SPANS = 1 << 2;
        /// Transfer times of messages.
        const TRANSFERS = 1 << 3;
        /// Each message from begin to end.
        const DELIVERIES = 1 << 4;
        /// Each part of collective calls from and to a root, from begin to end.
        const HANDED_OVER = 1 << 5;
        /// Each message with all its attributes.
        const MESSAGES = 1 << 6;
        /// Sums over whole collective operations.
        const OPERATIONS = 1 << 7;
        /// Each rank's part in each collective operation.
        const JOINED = 1 << 8;
    }
}
