//! A picture: charts one below another.

use plotters::prelude::*;

use super::bars::Bars;
use super::chart::{self, Chart, WIDTH};
use super::picture::PlotFile;
use model::error::Error;

pub enum Drawing {
    Lines(Chart),
    Bars(Bars),
}

/// Draws the charts that are not empty, one below another. Fails if all are empty.
pub fn write<F: Into<Drawing>>(figures: Vec<F>, file: &PlotFile) -> Result<(), Error> {
    let figures: Vec<Drawing> = figures.into_iter().map(F::into).filter(|figure| !figure.is_empty()).collect();
    if figures.is_empty() {
        return Err(file.error("nothing to plot: no figure of this run is known"));
    }
    let height = figures.iter().map(Drawing::height).sum();
    file.write(|svg| {
        let mut below = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
        below.fill(&WHITE)?;
        let area = below.clone();
        for figure in &figures {
            let (own, rest) = below.split_vertically(figure.height() as i32);
            match figure {
                Drawing::Lines(chart) => chart::draw(chart, &own)?,
                Drawing::Bars(bars) => bars.draw(&own)?,
            }
            below = rest;
        }
        Ok(area.present()?)
    })
}

impl Drawing {
    fn is_empty(&self) -> bool {
        match self {
            Drawing::Lines(chart) => chart.is_empty(),
            Drawing::Bars(bars) => bars.is_empty(),
        }
    }

    fn height(&self) -> u32 {
        match self {
            Drawing::Lines(_) => chart::HEIGHT,
            Drawing::Bars(bars) => bars.height(),
        }
    }
}

impl From<Chart> for Drawing {
    fn from(chart: Chart) -> Drawing {
        Drawing::Lines(chart)
    }
}

impl From<Bars> for Drawing {
    fn from(bars: Bars) -> Drawing {
        Drawing::Bars(bars)
    }
}
