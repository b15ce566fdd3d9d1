//! All tests of the tables as one program, since linking takes longer than running.
#![cfg(not(loom))]

mod cache;
mod call_paths;
mod code_map;
mod dictionary;
mod function_filter;
mod handles;
mod live_file;
mod memory;
mod page_cursor;
mod path_numbers;
mod polls;
mod region_names;
mod slots;
