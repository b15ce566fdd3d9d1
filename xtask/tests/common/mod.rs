//! Reads the tree for tests: files, code without comments, and the uses between files.

pub mod uses;
