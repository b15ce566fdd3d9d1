//! Pictures of a run: plots and charts, timelines, and the page that has it all.

pub mod charts;
mod module_url;
pub mod page;
pub mod plot;
pub mod timeline;

pub use module_url::module_url;
