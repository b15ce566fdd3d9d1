//! Analyses of an exported data set on an engine that speaks Spark Connect: Apache Spark 4, or Sail.
//!
//! In: the address of the engine, and the folder of the data set as its workers see it. Out: the reports of the native analyses. The
//! engine does the work that grows with the run, by the SQL of `data::engine_sql`, and returns sums.
//!
//! Floors, highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! reports
//! exported_set
//! rows session
//! ```

mod exported_set;
mod reports;
mod rows;
mod session;

pub use exported_set::ExportedSet;
pub use reports::EngineAnalysis;
