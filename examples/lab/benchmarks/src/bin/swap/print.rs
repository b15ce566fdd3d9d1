//! The table of a run, for people and for programs.

use benchmarks::statistics::DISTURBED;
use clap::ValueEnum;
use serde_json::{Value, json};

use super::statistics::{Point, Spread, Statistics, spread, statistics};
use super::{Arguments, Experiment};

/// One protocol and volume.
pub struct Row {
    experiment: Experiment<'static>,
    points: Vec<Point>,
    statistics: Statistics,
}

impl Row {
    pub fn of(experiment: &Experiment<'static>, points: Vec<Point>) -> Row {
        let statistics = statistics(&points, experiment.volume);
        Row { experiment: *experiment, points, statistics }
    }

    /// Seconds that a message costs whatever its size. The messages of an ordered swap follow each other.
    fn latency(&self) -> Option<Spread> {
        let share = if self.experiment.protocol.is_ordered { 0.5 } else { 1.0 };
        let part = |time: f64| share * time;
        let of = |a: Spread| Spread { median: part(a.median), interval: a.interval.map(|(a, b)| (part(a), part(b))) };
        self.statistics.a.map(of)
    }
}

pub fn print(arguments: &Arguments, rows: &[Row]) {
    if arguments.json {
        let form = if arguments.plain { "plain" } else { "robust" };
        let rows: Vec<Value> = rows.iter().map(as_json).collect();
        println!("{:#}", json!({ "form": form, "rows": rows }));
        return;
    }
    let mut last = None;
    for row in rows {
        let Experiment { pairs, form, way, volume, .. } = row.experiment;
        let of = (pairs, form, way, volume);
        if last != Some(of) {
            let names = [name(&pairs), name(&form), name(&way)].join(", ");
            println!("{}{names}: {volume} bytes by number of messages, µs", if last.is_some() { "\n" } else { "" });
            let numbers: String = row.points.iter().map(|point| format!("{:>9}", point.messages)).collect();
            println!("{:>6}{numbers}   latency            between  2/b MB/s  MB/s at most   off by", "");
        }
        last = Some(of);
        line(row);
    }
    let goes: usize = rows.iter().flat_map(|row| &row.points).map(|point| point.times.len()).sum();
    let disturbed: usize = rows.iter().flat_map(|row| &row.points).map(Point::disturbed).sum();
    if !arguments.plain {
        println!("{disturbed} of {goes} goes disturbed: over {DISTURBED} times the median of their number of messages");
    }
    let apart = rows.iter().flat_map(|row| row.points.iter().map(move |point| (row, point)));
    for (row, point, elapsed) in apart.filter_map(|(row, point)| Some((row, point, discrepancy(point)?))) {
        let (id, messages, times) = (row.experiment.protocol.id(), point.messages, elapsed);
        println!(
            "({id}), {messages} messages: first begin to last end takes {times:.2} times the largest time of one rank"
        );
    }
}

/// By how much the time from the first begin to the last end is longer than that of one processor, where that is much.
fn discrepancy(point: &Point) -> Option<f64> {
    let times = spread(point.elapsed.as_ref()?).median / point.time().median;
    (times > 1.25).then_some(times)
}

fn line(row: &Row) {
    let micro = |seconds: f64| seconds * 1e6;
    let times: String = row.points.iter().map(|point| format!("{:>9.1}", micro(point.time().median))).collect();
    let latency = row.latency();
    let between = latency.and_then(|latency| latency.interval);
    let between = between.map_or(String::new(), |(least, most)| format!("{:.2}..{:.2}", micro(least), micro(most)));
    let latency = latency.map_or(String::from("-"), |latency| format!("{:.2}", micro(latency.median)));
    let both = 2.0 / row.statistics.b / 1e6;
    let error = row.statistics.error.map_or(String::from("-"), |error| format!("{:.0} %", error.0));
    let best = row.points.iter().min_by(|one, other| one.time().median.total_cmp(&other.time().median));
    let best = best.map_or(0, |point| row.experiment.volume / point.messages as u64);
    println!(
        "{:<6}{times} {latency:>9} {between:>18} {both:>9.0} {best:>11} B {error:>8}",
        row.experiment.protocol.id()
    );
}

fn as_json(row: &Row) -> Value {
    let Experiment { pairs, form, way, volume, protocol } = row.experiment;
    let latency = row.latency();
    let interval = latency.and_then(|latency| latency.interval);
    let point = |point: &Point| {
        let time = point.time();
        json!({
            "messages": point.messages,
            "message_bytes": volume / point.messages as u64,
            "time_s": time.median,
            "time_least_s": time.interval.map(|interval| interval.0),
            "time_most_s": time.interval.map(|interval| interval.1),
            "swap_s": time.median / point.messages as f64,
            "elapsed_s": point.elapsed.as_ref().map(|elapsed| spread(elapsed).median),
            "bandwidth_bytes_per_second": 2.0 * volume as f64 / time.median,
            "goes": point.times.len(),
            "disturbed_goes": point.disturbed(),
        })
    };
    json!({
        "pairs": name(&pairs),
        "form": name(&form),
        "way": name(&way),
        "volume_bytes": volume,
        "protocol": protocol.id(),
        "protocol_name": protocol.name,
        "is_ordered": protocol.is_ordered,
        "points": row.points.iter().map(point).collect::<Vec<_>>(),
        "a_s": row.statistics.a.map(|a| a.median),
        "b_s_per_byte": row.statistics.b,
        "latency_s": latency.map(|latency| latency.median),
        "latency_least_s": interval.map(|interval| interval.0),
        "latency_most_s": interval.map(|interval| interval.1),
        "bandwidth_bytes_per_second": 2.0 / row.statistics.b,
        "model_error_percent": row.statistics.error.map(|error| error.0),
        "model_error_max_percent": row.statistics.error.map(|error| error.1),
    })
}

fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
}
