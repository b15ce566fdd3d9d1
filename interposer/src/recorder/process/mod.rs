//! The state of the process that all threads read: whether it records ([`forked`]), which functions ([`recorded`]),
//! how much of a call's path is recorded ([`path_limit`]), whether threads are sampled ([`sampling`]), and whether calls are counted in
//! profiles now ([`counted`]).

pub mod counted;
pub mod forked;
pub mod path_limit;
pub mod recorded;
pub mod sampling;
