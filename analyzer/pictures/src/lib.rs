//! Pictures of a run: plots and charts, timelines, and the page that contains them all.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! page
//! charts timeline
//! module_url plot source_lines
//! palette
//! ```

pub mod charts;
mod module_url;
pub mod page;
mod palette;
pub mod plot;
mod source_lines;
pub mod timeline;

pub use module_url::module_url;
pub use source_lines::{SourceLines, source_lines};
