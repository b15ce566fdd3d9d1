//! A run as a data set: tables of typed columns, read in parts that fit in memory.
//!
//! A table is declared once, by its rows ([`DataRow`]): each column with key, type, description and value. Exports, queries and
//! the published description are made from that.
//!
//! Floors, highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! export
//! catalog
//! call_rows matched_tables per_rank_tables requests
//! engine_entries meanings ranks region_stays sample_rows
//! set
//! data_table
//! arrow sheet_parquet
//! ```

pub mod arrow;
mod call_rows;
mod catalog;
mod data_table;
mod engine_entries;
pub mod export;
mod matched_tables;
mod meanings;
mod per_rank_tables;
mod ranks;
mod region_stays;
mod requests;
mod sample_rows;
mod set;
pub mod sheet_parquet;

pub use catalog::{description, follow, heads, table};
pub use data_table::{DataTable, TableHead};
pub use set::DataSet;
