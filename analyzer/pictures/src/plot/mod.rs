//! Pictures of a run. All are drawn as SVG; a PNG is rendered from it.

mod axis;
mod bars;
mod chart;
mod figure;
mod heat;
mod picture;

pub use axis::{Axis, AxisScale, AxisUnit};
pub use bars::{BarLayout, BarPart, BarRow, Bars};
pub use chart::{Chart, Series};
pub use figure::{Drawing, write};
pub use heat::matrix;
pub use picture::{Drawn, PlotFile};
