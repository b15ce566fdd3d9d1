//! Threads at the tables in all orders that they can come in.
#![cfg(loom)]

mod handles;
mod live_reader;
mod node_file;
mod page_cursor;
mod slots;
