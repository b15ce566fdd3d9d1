//! Horizontal bars, one row per name.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Drawn;
use super::axis::{Axis, AxisSpan};
use super::chart::{GAP, LETTER, LINE, WIDTH};
use crate::palette::{Hue, SERIES};

/// Rows of bars over one axis, from 0.
#[derive(Clone, Debug)]
pub struct Bars {
    pub title: String,
    pub x: Axis,
    /// Meaning of each part of a row.
    pub parts: Vec<BarPart>,
    /// Arrangement of a row's parts.
    pub layout: BarLayout,
    pub rows: Vec<BarRow>,
}

/// Meaning of one part in every row.
#[derive(Clone, Debug)]
pub struct BarPart {
    pub name: String,
    /// Its color, if it has one in other pictures, too.
    pub hue: Option<Hue>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BarLayout {
    /// Side by side along the axis: the row is their sum.
    Stacked,
    /// One below another.
    Grouped,
}

#[derive(Clone, Default, Debug)]
pub struct BarRow {
    pub name: String,
    /// A value for each part.
    pub values: Vec<f64>,
    /// Minimum and maximum of each part; empty if no part has any.
    pub intervals: Vec<Option<(f64, f64)>>,
}

/// Height of a part, and space between rows.
const PART: i32 = 14;
const BETWEEN: i32 = 7;
/// Heights of the title above the bars and of the axis below.
const ABOVE: i32 = 34;
const BELOW: i32 = 72;
/// Width of an axis mark with the space beside it.
const MARK: i32 = 64;
/// Longest label that is not shortened, in letters.
const NAME: usize = 44;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Context<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<AxisSpan, RangedCoordf64>>;

impl Bars {
    pub fn is_empty(&self) -> bool {
        !self.rows.iter().flat_map(|row| &row.values).any(|value| *value > 0.0)
    }

    pub(super) fn height(&self) -> u32 {
        (ABOVE + BELOW + self.rows.len() as i32 * (self.row_height() + BETWEEN)) as u32
    }

    fn row_height(&self) -> i32 {
        match self.layout {
            BarLayout::Stacked => PART + 2,
            BarLayout::Grouped => PART * self.parts.len().max(1) as i32,
        }
    }

    fn color(&self, part: usize) -> RGBColor {
        let own = self.parts.get(part).and_then(|part| part.hue);
        own.unwrap_or(SERIES[part % SERIES.len()]).in_plot()
    }

    fn most(&self) -> f64 {
        let of_row = |row: &BarRow| match self.layout {
            BarLayout::Stacked => row.values.iter().sum(),
            BarLayout::Grouped => row.values.iter().copied().fold(0.0, f64::max),
        };
        let ends = self.rows.iter().flat_map(|row| row.intervals.iter().flatten().map(|(_, most)| *most));
        self.rows.iter().map(of_row).chain(ends).fold(0.0, f64::max)
    }

    pub(super) fn draw(&self, area: &Area) -> Drawn {
        let area = area.titled(&self.title, ("sans-serif", 18))?;
        let letters =
            |names: &mut dyn Iterator<Item = &String>| names.map(|name| name.chars().count()).max().unwrap_or(0);
        let names = letters(&mut self.rows.iter().map(|row| &row.name)).min(NAME) as i32 * LETTER + GAP;
        let legend = match self.parts.len() {
            0 | 1 => 0,
            _ => letters(&mut self.parts.iter().map(|part| &part.name)) as i32 * LETTER + 2 * GAP + PART,
        };
        let (bars, beside) = area.split_horizontally(WIDTH as i32 - legend - GAP);
        let room = (WIDTH as i32 - legend - GAP - names) / MARK;
        let span = self.x.span([0.0, self.most()].into_iter()).thinned(room as usize);
        let height = f64::from(self.row_height() + BETWEEN);
        let mut context = ChartBuilder::on(&bars)
            .margin_right(24)
            .margin_bottom(14)
            .y_label_area_size(names)
            .x_label_area_size(40)
            .build_cartesian_2d(span.clone(), -(height * self.rows.len() as f64)..0.0)?;
        context
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(0)
            .x_desc(self.x.heading(&span))
            .x_label_formatter(&|place| self.x.text(*place, &span))
            .label_style(("sans-serif", 13))
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        for (at, row) in self.rows.iter().enumerate() {
            let upper = -(height * at as f64) - f64::from(BETWEEN) / 2.0;
            self.draw_row(row, upper, &mut context, &bars)?;
        }
        if legend > 0 {
            self.draw_legend(&beside)?;
        }
        Ok(())
    }

    /// Draws a row's name, its parts and their intervals below `upper`.
    fn draw_row(&self, row: &BarRow, upper: f64, context: &mut Context<'_>, bars: &Area) -> Drawn {
        let (left, top) = bars.get_base_pixel();
        let (x, y) = context.backend_coord(&(0.0, upper));
        let middle = y - top + self.row_height() / 2;
        let right = TextStyle::from(("sans-serif", 13)).pos(Pos::new(HPos::Right, VPos::Center));
        // Letters without descenders stand above the middle.
        bars.draw(&Text::new(shortened(&row.name), (x - left - 6, middle + 2), right))?;
        let mut begin = 0.0;
        for (part, value) in row.values.iter().enumerate() {
            let (from, above) = match self.layout {
                BarLayout::Stacked => (begin, 0),
                BarLayout::Grouped => (0.0, PART * part as i32),
            };
            let thick = if self.layout == BarLayout::Stacked { self.row_height() } else { PART - 1 };
            let above = upper - f64::from(above);
            let corners = [(from, above), (from + value, above - f64::from(thick))];
            context.draw_series([Rectangle::new(corners, self.color(part).filled())])?;
            if let Some((least, most)) = row.intervals.get(part).copied().flatten() {
                let middle = above - f64::from(thick) / 2.0;
                let end = |x: f64| PathElement::new([(x, middle - 3.0), (x, middle + 3.0)], BLACK.stroke_width(1));
                let line = PathElement::new([(least, middle), (most, middle)], BLACK.stroke_width(1));
                context.draw_series([line, end(least), end(most)])?;
            }
            begin += value;
        }
        Ok(())
    }

    /// Draws the color and the meaning of each part.
    fn draw_legend(&self, area: &Area) -> Drawn {
        for (number, part) in self.parts.iter().enumerate() {
            let upper = 10 + LINE * number as i32;
            let corners = [(GAP, upper), (GAP + PART, upper + PART)];
            area.draw(&Rectangle::new(corners, self.color(number).filled()))?;
            let place = (GAP + PART + 6, upper + 2);
            area.draw(&Text::new(part.name.clone(), place, ("sans-serif", 13)))?;
        }
        Ok(())
    }
}

/// Omits the middle of a long name: names differ at both ends.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= NAME {
        return name.into();
    }
    let (head, tail) = (NAME / 2 - 1, NAME / 2);
    letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}
