//! Overhead and availability over message size: figures 3 to 6 of Doerfler and Brightwell, sends and receives in one.

use crate::plot::{Axis, AxisScale, AxisUnit, Chart, Series};
use metrics::overlap::MessageOverlapRow;
use tables::Table;

/// Lines per chart: the places with the most requests.
const PLACES: usize = 14;

/// Host overhead, and availability with bounds.
pub fn figures(messages: &Table<MessageOverlapRow>) -> Vec<Chart> {
    let mut places: Vec<(String, u64)> = Vec::new();
    for row in &messages.rows {
        match places.iter_mut().find(|(name, _)| *name == legend(row)) {
            Some((_, requests)) => *requests = requests.saturating_add(row.requests),
            None => places.push((legend(row), row.requests)),
        }
    }
    places.sort_by_key(|(_, requests)| std::cmp::Reverse(*requests));
    places.truncate(PLACES);
    let lines = |line: &dyn Fn(&[&MessageOverlapRow]) -> Series| -> Vec<Series> {
        let of_place = |name: &String| messages.rows.iter().filter(|row| legend(row) == *name).collect::<Vec<_>>();
        places.iter().map(|(name, _)| Series { name: name.clone(), ..line(&of_place(name)) }).collect()
    };
    let size = Axis::new("message size", AxisScale::Log2, AxisUnit::Bytes);
    let overhead = lines(&|rows| {
        let points = rows.iter().filter_map(|row| Some((row.size.bytes as f64, row.estimate.overhead? / 1e9)));
        Series { points: points.collect(), ..Series::default() }
    });
    let available = lines(&|rows| {
        let bytes = |row: &&MessageOverlapRow| row.size.bytes as f64;
        let points = rows.iter().filter_map(|row| Some((bytes(row), row.estimate.availability?.percent)));
        let intervals = rows
            .iter()
            .filter_map(|row| row.estimate.bounds.map(|bounds| (bytes(row), bounds.least.unwrap_or(0.0), bounds.most)));
        Series { points: points.collect(), intervals: intervals.collect(), ..Series::default() }
    });
    let title = "application availability (bars: bounds of the share that was hidden)";
    vec![
        Chart {
            title: "host overhead of a message".into(),
            x: size.clone(),
            y: Axis::new("time in MPI", AxisScale::Log10, AxisUnit::Seconds),
            series: overhead,
        },
        Chart {
            title: title.into(),
            x: size,
            y: Axis::new("availability", AxisScale::Linear, AxisUnit::Percent),
            series: available,
        },
    ]
}

fn legend(row: &MessageOverlapRow) -> String {
    format!("{}, {}", row.place.function, row.place.site)
}
