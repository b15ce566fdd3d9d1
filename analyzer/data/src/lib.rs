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
//! description
//! catalog
//! calls collectives messages requests signatures waits
//! communicators hosts matched meanings per_rank progress ranks regions sites
//! set
//! table
//! arrow place_names sheet_parquet
//! ```

pub mod arrow;
mod calls;
mod catalog;
mod collectives;
mod communicators;
mod description;
pub mod export;
mod hosts;
mod matched;
mod meanings;
mod messages;
mod per_rank;
mod place_names;
mod progress;
mod ranks;
mod regions;
mod requests;
mod set;
pub mod sheet_parquet;
mod signatures;
mod sites;
mod table;
mod waits;

pub use catalog::{follow, heads, table};
pub use description::description;
pub use set::DataSet;
pub use table::{DataTable, TableHead};
