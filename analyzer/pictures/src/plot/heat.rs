//! Bytes from each rank to each other rank.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::AxisSpan;
use super::{Drawn, PlotFile};
use crate::palette::BLUE;
use model::error::Error;
use tables::Value;

/// Most cells per side of a heat map; beyond it, neighboring ranks share a cell.
const PLACES: u32 = 256;
/// Most ranks that are named at a side.
const MARKS: usize = 16;
/// Width and height of the map, width of the scale of colors beside it, and its colors.
const SIDE: u32 = 640;
const SCALE: u32 = 110;
const STEPS: u32 = 64;

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
    let name = |place: &f64| names.get((place.floor() * f64::from(each)) as usize).cloned().unwrap_or_default();
    file.write(|svg| heat(svg, places, &sums, &name))
}

fn heat(svg: &mut String, places: usize, bytes: &[u64], name: &dyn Fn(&f64) -> String) -> Drawn {
    let whole = SVGBackend::with_string(svg, (SIDE + SCALE, SIDE)).into_drawing_area();
    whole.fill(&WHITE)?;
    let (area, beside) = whole.split_horizontally(SIDE);
    let most = bytes.iter().copied().max().unwrap_or(0).max(1);
    let caption = format!("bytes from rank to rank, at most {}", Value::Bytes(most));
    let longest = (0..places).map(|place| name(&(place as f64)).len() as u32).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(&area)
        .caption(caption, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(56.max(28 + 6 * longest))
        .build_cartesian_2d(cells(places, false), cells(places, true))?;
    let mut mesh = chart.configure_mesh();
    mesh.disable_mesh().x_desc("to rank").y_desc("from rank");
    mesh.x_label_formatter(name).y_label_formatter(name).draw()?;
    let places_with = bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0);
    chart.draw_series(places_with.map(|(at, bytes)| {
        let (from, to) = ((at / places) as f64, (at % places) as f64);
        Rectangle::new([(to, from), (to + 1.0, from + 1.0)], color(*bytes as f64 / most as f64))
    }))?;
    scale(&beside, most)?;
    whole.present()?;
    Ok(())
}

/// An axis of the ranks, with marks in the middle of their cells. It ends one position after the last rank.
fn cells(places: usize, is_downwards: bool) -> AxisSpan {
    let (least, most) = if is_downwards { (places as f64, 0.0) } else { (0.0, places as f64) };
    AxisSpan { least, most, marks: (0..places).map(|place| place as f64 + 0.5).collect() }.thinned(MARKS)
}

/// The color of a share of the most bytes. Even a few bytes must be visible against none.
fn color(share: f64) -> ShapeStyle {
    BLUE.in_plot().mix(0.1 + 0.9 * share).filled()
}

/// Draws what the colors stand for.
fn scale(area: &DrawingArea<SVGBackend<'_>, Shift>, most: u64) -> Drawn {
    let marks = [0.0, 0.25, 0.5, 0.75, 1.0].to_vec();
    let mut chart = ChartBuilder::on(area)
        .margin_top(40)
        .margin_bottom(48)
        .margin_right(12)
        .y_label_area_size(SCALE - 44)
        .build_cartesian_2d(0.0..1.0, AxisSpan { least: 0.0, most: 1.0, marks })?;
    let bytes = |share: &f64| Value::Bytes((share * most as f64).round() as u64).to_string();
    let mut mesh = chart.configure_mesh();
    // By default letters are as small as the area is narrow.
    mesh.disable_mesh().disable_x_axis().label_style(("sans-serif", 12)).y_label_formatter(&bytes).draw()?;
    let step = |number: u32| f64::from(number) / f64::from(STEPS);
    chart.draw_series(
        (0..STEPS).map(|number| Rectangle::new([(0.0, step(number)), (1.0, step(number + 1))], color(step(number)))),
    )?;
    Ok(())
}
