//! Pictures of a run. All are drawn as SVG; a PNG is that, rendered.

mod axis;
pub mod chart;
mod heat;
mod picture;
mod rates;

pub use axis::{Axis, AxisScale, AxisUnit};
pub use chart::{Chart, Series};
pub use heat::matrix;
use picture::Drawn;
pub use picture::PlotFile;
pub use rates::{Rates, entries};
