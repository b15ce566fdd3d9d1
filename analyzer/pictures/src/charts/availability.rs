//! Overhead and availability over message size: figures 3 to 6 of Doerfler and Brightwell, sends and receives in one.

use super::LINES;
use crate::plot::{Axis, AxisScale, AxisUnit, Chart, Series};
use metrics::overlap::MessageOverlapRow;
use tables::Table;

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
    // The places with the most requests.
    places.truncate(LINES);
    let (mut overheads, mut availabilities) = (Vec::new(), Vec::new());
    for (name, _) in places {
        let mut overhead = Series { name: name.clone(), ..Series::default() };
        let mut availability = Series { name: name.clone(), ..Series::default() };
        for row in messages.rows.iter().filter(|row| legend(row) == name) {
            let bytes = row.size.bytes as f64;
            if let Some(nanoseconds) = row.estimate.overhead {
                overhead.points.push((bytes, nanoseconds / 1e9));
            }
            if let Some(share) = row.estimate.availability {
                availability.points.push((bytes, share.percent));
            }
            if let Some(bounds) = row.estimate.bounds {
                availability.intervals.push((bytes, bounds.least.unwrap_or(0.0), bounds.most));
            }
        }
        overheads.push(overhead);
        availabilities.push(availability);
    }
    let size = Axis::new("message size", AxisScale::Log2, AxisUnit::Bytes);
    let title = "application availability (bars: bounds of the share that was hidden)";
    vec![
        Chart {
            title: "host overhead of a message".into(),
            x: size.clone(),
            y: Axis::new("time in MPI", AxisScale::Log10, AxisUnit::Seconds),
            series: overheads,
        },
        Chart {
            title: title.into(),
            x: size,
            y: Axis::new("availability", AxisScale::Linear, AxisUnit::Percent),
            series: availabilities,
        },
    ]
}

fn legend(row: &MessageOverlapRow) -> String {
    format!("{}, {}", row.place.function, row.place.site)
}
