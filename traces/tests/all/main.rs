//! All tests of the format except those of very many files, as one program, since linking takes longer than running.

mod common;

mod calls_table;
mod damage;
mod folder;
mod follow;
mod layout;
mod names;
mod node_files;
mod roundtrip;
mod settings;
