//! Reads the tree for tests: files, code without comments, and who uses whom.

pub mod uses;
