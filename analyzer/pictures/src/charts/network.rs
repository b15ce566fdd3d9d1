//! Time and bandwidth over message size, a line for each protocol.

use super::LINES;
use crate::plot::{Axis, AxisScale, AxisUnit, Chart, Series};
use metrics::network::{Between, Network, Point, Protocol};
use metrics::network::{between, pattern};

/// Time and bandwidth of messages or exchanges.
pub fn figures(network: &Network) -> Vec<Chart> {
    let count = |points: &[Point]| points.iter().fold(0u64, |sum, point| sum.saturating_add(point.count));
    let mut protocols: Vec<(&Protocol, &Vec<Point>)> = network.protocols.iter().collect();
    protocols.sort_by_key(|(_, points)| std::cmp::Reverse(count(points)));
    // The protocols with the most messages.
    protocols.truncate(LINES);
    let has_hosts = network.protocols.keys().any(|protocol| protocol.between == Between::Hosts);
    let name = |protocol: &Protocol| {
        let place = if has_hosts { format!(", {}", between(protocol.between).name) } else { String::new() };
        format!("{}, {}{place}", protocol.calls, pattern(protocol.pattern).name)
    };
    let lines = |value: &dyn Fn(&Protocol, &Point, f64) -> f64| -> Vec<Series> {
        let line = |(protocol, points): &(&Protocol, &Vec<Point>)| {
            let at = |point: &Point, time: f64| value(protocol, point, time);
            let interval = |point: &Point| {
                let (least, most) = point.time.interval?;
                let (one, other) = (at(point, least), at(point, most));
                Some((point.bytes as f64, one.min(other), one.max(other)))
            };
            Series {
                name: name(protocol),
                points: points.iter().map(|point| (point.bytes as f64, at(point, point.time.median))).collect(),
                intervals: points.iter().filter_map(interval).collect(),
            }
        };
        protocols.iter().map(line).collect()
    };
    let messages = |protocol: &Protocol| protocol.pattern.messages();
    let size = Axis::new("message size", AxisScale::Log2, AxisUnit::Bytes);
    vec![
        Chart {
            title: "time of a message or an exchange".into(),
            x: size.clone(),
            y: Axis::new("time", AxisScale::Log10, AxisUnit::Seconds),
            series: lines(&|_, _, time| time),
        },
        Chart {
            title: "bandwidth, of exchanges both ways together".into(),
            x: size,
            y: Axis::new("bandwidth", AxisScale::Linear, AxisUnit::BytesPerSecond),
            series: lines(&|protocol, point, time| messages(protocol) * point.bytes as f64 / time),
        },
    ]
}
