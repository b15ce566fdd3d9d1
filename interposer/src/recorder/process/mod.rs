//! The state of the process that all threads read: whether it records ([`forked`]), which functions ([`recorded`]), and
//! whether calls are counted in profiles now ([`counted`]).

pub mod counted;
pub mod forked;
pub mod recorded;
