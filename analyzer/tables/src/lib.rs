//! Reports: facts, tables of typed rows, and warnings. Printers compute nothing.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! arrange schema
//! csv json text
//! report
//! scalar
//! table
//! column fact terminal
//! values
//! value
//! format
//! scale wrapping
//! named number part suggest unit visible
//! ```

pub mod arrange;
mod column;
pub mod csv;
pub mod fact;
mod format;
pub mod json;
mod named;
pub mod number;
pub mod part;
mod report;
mod scalar;
pub mod scale;
pub mod schema;
pub mod suggest;
mod table;
pub mod terminal;
pub mod text;
pub mod unit;
mod value;
mod values;
pub mod visible;
pub mod wrapping;

pub use column::{Column, ColumnHead, Figure, Shared};
pub use fact::{Fact, FactKey};
pub use format::Format;
pub use named::Named;
pub use report::Report;
pub use scalar::{Field, Scalar};
pub use table::{Audience, Presentation, Row, Sheet, Table};
pub use unit::{ColumnType, ScalarType, Unit};
pub use value::{Label, Value, WorldRank};
pub use values::{Batch, Cell, Cells, Values};
