//! Bytes from each rank to each other rank.

use plotters::prelude::*;

use super::{Drawn, PlotFile};
use crate::palette::BLUE;
use model::error::Error;
use tables::Value;

/// Most cells per side of a heat map; beyond it, neighboring ranks share a cell.
const PLACES: u32 = 256;

/// Draws a heat map from the ranks' names and the bytes by the numbers of sender and receiver. Fails if there are no
/// bytes.
pub fn matrix(
    names: &[String],
    traffic: impl Iterator<Item = ((u32, u32), u64)>,
    file: &PlotFile,
) -> Result<(), Error> {
    let ranks = (names.len() as u32).max(1);
    let each = ranks.div_ceil(PLACES);
    let places = ranks.div_ceil(each) as usize;
    let mut sums = vec![0u64; places * places];
    for ((from, to), bytes) in traffic {
        sums[(from / each) as usize * places + (to / each) as usize] += bytes;
    }
    if sums.iter().all(|bytes| *bytes == 0) {
        return Err(file.error("nothing to plot: no rank sent another anything"));
    }
    // The axes end one position after the last rank.
    let name = |place: &f64| names.get((place * f64::from(each)) as usize).cloned().unwrap_or_default();
    file.write(|svg| heat(svg, places, &sums, &name))
}

fn heat(svg: &mut String, places: usize, bytes: &[u64], name: &dyn Fn(&f64) -> String) -> Drawn {
    let area = SVGBackend::with_string(svg, (640, 640)).into_drawing_area();
    area.fill(&WHITE)?;
    let most = bytes.iter().copied().max().unwrap_or(0).max(1);
    let caption = format!("bytes from rank to rank, at most {}", Value::Bytes(most));
    let longest = (0..places).map(|place| name(&(place as f64)).len() as u32).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(&area)
        .caption(caption, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(56.max(28 + 6 * longest))
        .build_cartesian_2d(0.0..places as f64, places as f64..0.0)?;
    let mut mesh = chart.configure_mesh();
    mesh.disable_mesh().x_desc("to rank").y_desc("from rank").x_labels(places.min(9)).y_labels(places.min(9));
    mesh.x_label_formatter(name).y_label_formatter(name).draw()?;
    let places_with = bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0);
    chart.draw_series(places_with.map(|(at, bytes)| {
        let (from, to) = ((at / places) as f64, (at % places) as f64);
        // Even a few bytes must be visible against none.
        let shade = 0.1 + 0.9 * *bytes as f64 / most as f64;
        Rectangle::new([(to, from), (to + 1.0, from + 1.0)], BLUE.in_plot().mix(shade).filled())
    }))?;
    area.present()?;
    Ok(())
}
