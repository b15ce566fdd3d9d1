//! The process's state that all threads read: the phase of recording ([`forked`]), the functions that are recorded
//! ([`recorded`]), the limit on call paths ([`path_limit`]), sampling ([`sampling`]), and the switch for counting in
//! profiles ([`counted`]).

pub mod counted;
pub mod forked;
pub mod path_limit;
pub mod recorded;
pub mod sampling;
