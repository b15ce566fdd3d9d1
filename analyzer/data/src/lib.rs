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
//! clock_lines engine_entries meanings ranks region_stays role_rows sample_rows traffic_rows
//! set
//! data_table sheet_parquet
//! arrow engine_sql parquet_file
//! ```

#[cfg(feature = "arrow")]
pub mod arrow;
mod call_rows;
mod catalog;
mod clock_lines;
mod data_table;
mod engine_entries;
pub mod engine_sql;
pub mod export;
mod matched_tables;
mod meanings;
mod parquet_file;
mod per_rank_tables;
mod ranks;
mod region_stays;
mod requests;
mod role_rows;
mod sample_rows;
mod set;
pub mod sheet_parquet;
mod traffic_rows;

pub use catalog::{description, follow, heads, table};
pub use data_table::{DataTable, TableHead, VERSION};
pub use set::DataSet;
