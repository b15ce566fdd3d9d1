//! What tests of the tree share.

pub mod uses;
