//! What all threads ask about the process: whether it records ([`forked`]), which functions ([`recorded`]), and whether what
//! happens now is in the profiles ([`counted`]).

pub mod counted;
pub mod forked;
pub mod recorded;
