//! Line charts with intervals, such as papers show of latencies, bandwidths and availabilities.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::Drawn;
use super::axis::Axis;
use crate::palette::SERIES;

/// Lines over one axis.
#[derive(Clone, Debug)]
pub struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

#[derive(Clone, Default, Debug)]
pub struct Series {
    pub name: String,
    /// Values of x and y, in the line's order.
    pub points: Vec<(f64, f64)>,
    /// Intervals of inexact values: x, minimum and maximum of y.
    pub intervals: Vec<(f64, f64, f64)>,
}

/// Width of a picture, and height of each chart.
pub(super) const WIDTH: u32 = 900;
pub(super) const HEIGHT: u32 = 460;
/// Height of a legend line, and width of a letter.
pub(super) const LINE: i32 = 20;
pub(super) const LETTER: i32 = 7;
/// Space between frame and legend, and length of the line sample before a name.
pub(super) const GAP: i32 = 14;
const STROKE: i32 = 24;
/// Half the width of an interval's ends.
const CAP: i32 = 4;
/// Most points for which each has a marker.
const MARKED: usize = 50;

impl Chart {
    pub(super) fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty() && series.intervals.is_empty())
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(super) fn draw(chart: &Chart, area: &Area) -> Drawn {
    let area = area.titled(&chart.title, ("sans-serif", 18))?;
    let letters = chart.series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
    let legend = if chart.series.len() > 1 { GAP + STROKE + LETTER * letters as i32 } else { 0 };
    let (lines, names) = area.split_horizontally(WIDTH as i32 - legend - GAP);
    let places = |axis: fn(&(f64, f64)) -> f64, of: &Axis| -> Vec<f64> {
        let values = chart.series.iter().flat_map(|series| {
            let ends = series.intervals.iter().flat_map(|(x, least, most)| [(*x, *least), (*x, *most)]);
            series.points.iter().copied().chain(ends)
        });
        values.filter_map(|point| of.place(axis(&point))).collect()
    };
    let x = chart.x.span(places(|point| point.0, &chart.x).into_iter());
    let y = chart.y.span(places(|point| point.1, &chart.y).into_iter());
    let mut context = ChartBuilder::on(&lines)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(76)
        .build_cartesian_2d(x.clone(), y.clone())?;
    context
        .configure_mesh()
        .x_desc(chart.x.heading(&x))
        .y_desc(chart.y.heading(&y))
        .x_label_formatter(&|place| chart.x.text(*place, &x))
        .y_label_formatter(&|place| chart.y.text(*place, &y))
        .label_style(("sans-serif", 13))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    for (number, series) in chart.series.iter().enumerate() {
        let color = SERIES[number % SERIES.len()].in_plot();
        let place = |(x, y): &(f64, f64)| Some((chart.x.place(*x)?, chart.y.place(*y)?));
        let points: Vec<(f64, f64)> = series.points.iter().filter_map(place).collect();
        let intervals = series.intervals.iter().filter_map(|(x, least, most)| {
            // A logarithmic axis has no 0: an interval that reaches it ends at the frame.
            let least = chart.y.place(*least).unwrap_or(y.least);
            Some([(chart.x.place(*x)?, least), (chart.x.place(*x)?, chart.y.place(*most)?)])
        });
        for ends in intervals {
            let ends = ends.map(|end| inside(&lines, context.backend_coord(&end)));
            lines.draw(&PathElement::new(ends, color.mix(0.45).stroke_width(3)))?;
            // Else an interval between equal figures could not be seen.
            for (x, y) in ends {
                lines.draw(&PathElement::new([(x - CAP, y), (x + CAP, y)], color.mix(0.45).stroke_width(2)))?;
            }
        }
        context.draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?;
        // Markers of many points would hide the line.
        let marked = if points.len() > MARKED { &[][..] } else { &points };
        for point in marked {
            lines.draw(&marker(number, inside(&lines, context.backend_coord(point))))?;
        }
        if legend > 0 {
            let (left, middle) = (GAP, 24 + LINE * number as i32);
            let ends = [(left, middle), (left + STROKE - 6, middle)];
            names.draw(&PathElement::new(ends, color.stroke_width(2)))?;
            names.draw(&marker(number, (left + (STROKE - 6) / 2, middle)))?;
            let text = Text::new(series.name.clone(), (left + STROKE, middle - 7), ("sans-serif", 13));
            names.draw(&text)?;
        }
    }
    Ok(())
}

/// A pixel of the picture, in an area's own pixels.
fn inside(area: &Area, (x, y): (i32, i32)) -> (i32, i32) {
    let (left, top) = area.get_base_pixel();
    (x - left, y - top)
}

/// Marker outlines in pixels around a point; the next one is used once colors repeat.
const MARKERS: [&[(i32, i32)]; 3] = [
    &[(-3, -1), (-1, -3), (1, -3), (3, -1), (3, 1), (1, 3), (-1, 3), (-3, 1)],
    &[(0, -5), (5, 4), (-5, 4)],
    &[(0, -5), (5, 0), (0, 5), (-5, 0)],
];

/// Marker of line `number` at a point in pixels.
fn marker(number: usize, (x, y): (i32, i32)) -> Polygon<(i32, i32)> {
    let outline = MARKERS[number / SERIES.len() % MARKERS.len()].iter();
    let corners: Vec<_> = outline.map(|(right, down)| (x + right, y + down)).collect();
    Polygon::new(corners, SERIES[number % SERIES.len()].in_plot().filled())
}
