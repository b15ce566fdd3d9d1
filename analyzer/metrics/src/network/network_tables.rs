//! The tables of the network: protocols, the ranges of sizes that one line fits, and times by size.

use super::fitted_line::Line;
use super::gathered_network::Network;
use super::points::{Between, MessagePattern, Point, Protocol};
use super::segments::Segment;
use super::weighted_median::Spread;
use crate::meaning;
use crate::words::{plural, verb};
use tables::number::whole;
use tables::{Column, Fact, Label, Row, Table, Value, facts};

/// A protocol, and the line through its times.
pub struct ProtocolRow {
    protocol: Protocol,
    count: u64,
    sizes: u64,
    least: u64,
    most: u64,
    line: Line,
    changes: Vec<u64>,
}

impl Row for ProtocolRow {
    const TABLE: &'static str = "protocols";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = protocol_columns(|row: &Self| &row.protocol);
        columns.extend([
            Column::count("count", "count", |row: &Self| row.count).means("How many exchanges, or messages.").spare(3),
            Column::count("sizes", "", |row: &Self| row.sizes).means("How many message sizes."),
            Column::bytes("size_least_bytes", "from", |row: &Self| row.least).means("The smallest message.").spare(4),
            Column::bytes("size_most_bytes", "to", |row: &Self| row.most).means("The largest message.").spare(4),
        ]);
        columns.extend(line_columns(&OF_PROTOCOL, |row: &Self| (row.protocol.pattern, row.line, row.sizes)));
        columns.push(
            Column::text("changes_at", "changes at", |row: &Self| {
                let changes: Vec<String> = row.changes.iter().map(|bytes| Value::Bytes(*bytes).to_string()).collect();
                (!changes.is_empty()).then(|| changes.join(", "))
            })
            .means("Sizes at which one line does not fit on: the library changes its protocol."),
        );
        columns
    }
}

/// A range of sizes that one line fits.
pub struct SegmentRow {
    protocol: Protocol,
    least: u64,
    most: u64,
    sizes: u64,
    line: Line,
}

impl Row for SegmentRow {
    const TABLE: &'static str = "segments";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = protocol_columns(|row: &Self| &row.protocol);
        columns.extend([
            Column::bytes("size_least_bytes", "from", |row: &Self| row.least)
                .means("The smallest message of the segment.")
                .name(),
            Column::bytes("size_most_bytes", "to", |row: &Self| row.most).means("The largest message of the segment."),
            Column::count("sizes", "sizes", |row: &Self| row.sizes)
                .means("How many message sizes lie in the segment.")
                .spare(2),
        ]);
        columns.extend(line_columns(&OF_SEGMENT, |row: &Self| (row.protocol.pattern, row.line, row.sizes)));
        columns
    }
}

pub struct SizeRow {
    protocol: Protocol,
    bytes: u64,
    count: u64,
    all: u64,
    /// `None` if too few of the size tell a time.
    point: Option<Point>,
}

impl SizeRow {
    fn reason(&self) -> Option<&'static str> {
        match self.point {
            None => Some(TOO_FEW),
            Some(_) if self.protocol.pattern == MessagePattern::OneWay => {
                Some("messages one way have no mean: no benchmark's loop prints it")
            }
            Some(Point { mean: None, .. }) => Some("too few to tell a mean"),
            Some(_) => None,
        }
    }
}

impl Row for SizeRow {
    const TABLE: &'static str = "sizes";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = protocol_columns(|row: &Self| &row.protocol);
        let bytes = |row: &Self| row.protocol.pattern.messages() * row.bytes as f64;
        let time = |row: &Self| Some(row.point?.time);
        let mean = |row: &Self| row.point?.mean;
        columns.extend([
            Column::bytes("size_bytes", "size", |row: &Self| row.bytes).means(meaning::SIZE_BYTES).name(),
            Column::count("count", "count", |row: &Self| row.count)
                .means("How many exchanges, or messages, of that size tell a time."),
            Column::count("all_count", "of", |row: &Self| row.all)
                .means(
                    "How many there were, with exchanges between whose calls the program did something else, and messages \
                     that came before their receiver waited.",
                )
                .spare(2),
            Column::seconds("time_s", "time", move |row: &Self| Some(time(row)?.median))
                .means("Time of an exchange or a message, or of a message's share of a window; median."),
            Column::seconds("time_least_s", "least", move |row: &Self| Some(time(row)?.interval?.0))
                .means(meaning::MEDIAN_LEAST)
                .spare(3),
            Column::seconds("time_most_s", "most", move |row: &Self| Some(time(row)?.interval?.1))
                .means(meaning::MEDIAN_MOST)
                .spare(3),
            Column::seconds("time_mean_s", "mean", move |row: &Self| mean(row).map(|mean| mean.value)).means(
                "Mean of the same without the first exchanges or windows of a row: what benchmarks print; empty of messages \
                 one way.",
            ),
            Column::seconds("time_mean_least_s", "", move |row: &Self| Some(mean(row)?.between?.0))
                .means("The least that the mean may be, with 95 % confidence."),
            Column::seconds("time_mean_most_s", "", move |row: &Self| Some(mean(row)?.between?.1))
                .means("The most that the mean may be, with 95 % confidence."),
            Column::seconds("clock_error_s", "", |row: &Self| Some(row.point?.clock_error))
                .means("By how much the times may be off, by the clocks."),
            Column::bytes("bandwidth_bytes", "per second", move |row: &Self| {
                Some((bytes(row) / time(row)?.median).round() as u64)
            })
            .means("Bytes of a message, or of two that cross, divided by that time."),
            Column::bytes("bandwidth_mean_bytes", "", move |row: &Self| {
                Some((bytes(row) / mean(row)?.value).round() as u64)
            })
            .means("The same by the mean."),
            Column::text("reason", "", |row: &Self| row.reason().map(String::from))
                .means("Why the row has no times, or no mean."),
        ]);
        columns
    }
}

fn protocol_columns<R: 'static>(protocol: fn(&R) -> &Protocol) -> Vec<Column<R>> {
    vec![
        Column::label("between", "on", move |row: &R| between(protocol(row).between))
            .means("The place of the two ranks: on one host, or on two.")
            .name(),
        Column::label("pattern", "pattern", move |row: &R| pattern(protocol(row).pattern))
            .means(
                "Ordered, there and back, or unordered, both ways at once; a window of several messages one way, \
                 answered by one, or windows that cross; or messages one way, from the begin of the send to the end of \
                 the receive or wait, where the receiver was already waiting.",
            )
            .name(),
        Column::text("calls", "calls", move |row: &R| protocol(row).calls.clone())
            .means("The functions that the two ranks call, from the first post to the last wait.")
            .name(),
    ]
}

/// The meanings of latency and bandwidth for the line through all sizes of a protocol.
const OF_PROTOCOL: [&str; 2] = [
    "Latency, as COMMTEST counts it: what a message of no bytes would take by the line through all sizes; empty of \
     windows, whose messages hide each other's latency.",
    "Bandwidth in bytes a second, as COMMTEST counts it: both ways together where messages cross.",
];

/// The meanings of latency and bandwidth for the line of a segment.
const OF_SEGMENT: [&str; 2] =
    ["Latency by the segment's own line.", "Bandwidth by the segment's own line, in bytes a second."];

/// The columns of a line. Latency and bandwidth follow from it as in COMMTEST.
fn line_columns<R: 'static>(
    meanings: &[&'static str; 2],
    line: fn(&R) -> (MessagePattern, Line, u64),
) -> Vec<Column<R>> {
    let latency = move |row: &R| {
        let (pattern, line, _) = line(row);
        // Messages of a window hide each other's latency.
        let a = line.a.filter(|_| !pattern.has_windows());
        a.map(|a| if pattern == MessagePattern::Ordered { a.times(0.5) } else { a })
    };
    let bandwidth = move |row: &R, part: fn(Spread) -> Option<f64>| {
        let (pattern, line, _) = line(row);
        part(line.b?).filter(|b| *b > 0.0).map(|b| (pattern.messages() / b).round() as u64)
    };
    let [latency_means, bandwidth_means] = *meanings;
    vec![
        Column::seconds("latency_s", "latency", move |row: &R| latency(row).map(|latency| latency.median))
            .means(latency_means),
        Column::seconds("latency_least_s", "least", move |row: &R| Some(latency(row)?.interval?.0))
            .means(meaning::LEAST)
            .spare(2),
        Column::seconds("latency_most_s", "most", move |row: &R| Some(latency(row)?.interval?.1))
            .means(meaning::MOST)
            .spare(2),
        Column::bytes("bandwidth_bytes", "per second", move |row: &R| bandwidth(row, |b| Some(b.median)))
            .means(bandwidth_means),
        Column::bytes("bandwidth_least_bytes", "", move |row: &R| bandwidth(row, |b| Some(b.interval?.1)))
            .means(meaning::LEAST),
        Column::bytes("bandwidth_most_bytes", "", move |row: &R| bandwidth(row, |b| Some(b.interval?.0)))
            .means(meaning::MOST),
        Column::percent("error_percent", "off by %", move |row: &R| line(row).1.error)
            .means("By how much the line misses the measured times on average.")
            .spare(1),
        Column::text("line_reason", "", move |row: &R| no_line(line(row)).map(String::from))
            .means("Why the row has no latency, or no bandwidth."),
    ]
}

/// Why there is no latency, or no bandwidth.
fn no_line((pattern, line, sizes): (MessagePattern, Line, u64)) -> Option<&'static str> {
    match line {
        Line { b: None, .. } => Some("no message has bytes"),
        _ if pattern.has_windows() => Some("messages of a window hide each other's latency"),
        Line { a: None, .. } if sizes < 2 => Some("all messages are of one size"),
        Line { a: None, .. } => Some("no line fits the sizes"),
        _ => None,
    }
}

/// One row for each protocol, with COMMTEST's line through all its sizes.
pub fn protocols(network: &Network) -> Table<ProtocolRow> {
    let row = |(protocol, points): (&Protocol, &Vec<Point>)| ProtocolRow {
        protocol: protocol.clone(),
        count: points.iter().map(|point| point.count).sum(),
        sizes: points.len() as u64,
        least: points.first().map_or(0, |point| point.bytes),
        most: points.last().map_or(0, |point| point.bytes),
        line: Line::by_spots(points),
        changes: network.segments[protocol].iter().skip(1).map(|segment| segment.points[0].bytes).collect(),
    };
    Table::new("latency and bandwidth", network.protocols.iter().map(row).collect())
}

/// One row for each range of sizes that one line fits.
pub fn segments(network: &Network) -> Table<SegmentRow> {
    let rows = network.segments.iter().flat_map(|(protocol, pieces)| {
        pieces.iter().map(|Segment { points, line }| SegmentRow {
            protocol: protocol.clone(),
            least: points.first().map_or(0, |point| point.bytes),
            most: points.last().map_or(0, |point| point.bytes),
            sizes: points.len() as u64,
            line: *line,
        })
    });
    Table::new("the lines that fit, by size", rows.collect()).silent_empty()
}

/// Why a size has no times.
const TOO_FEW: &str = "fewer than one in 20 had nothing else between their calls, which says nothing about the others";

/// One row for each protocol and size.
pub fn sizes(network: &Network) -> Table<SizeRow> {
    let of_point = |protocol: &Protocol, point: &Point| {
        let Point { bytes, count, all, .. } = *point;
        SizeRow { protocol: protocol.clone(), bytes, count, all, point: Some(*point) }
    };
    let known =
        network.protocols.iter().flat_map(|(protocol, points)| points.iter().map(move |point| (protocol, point)));
    let parted = network.parted.iter().map(|((protocol, bytes), (count, all))| SizeRow {
        protocol: protocol.clone(),
        bytes: *bytes,
        count: *count,
        all: *all,
        point: None,
    });
    let mut rows: Vec<SizeRow> = known.map(|(protocol, point)| of_point(protocol, point)).chain(parted).collect();
    rows.sort_by(|one, other| (&one.protocol, one.bytes).cmp(&(&other.protocol, other.bytes)));
    Table::new("times by size", rows).most(24)
}

pub fn between(between: Between) -> Label {
    let (key, name) = match between {
        Between::SameHost => ("same_host", "1 host"),
        Between::Hosts => ("hosts", "2 hosts"),
    };
    Label { key, name, depth: 0 }
}

pub fn pattern(pattern: MessagePattern) -> Label {
    let (key, name) = match pattern {
        MessagePattern::OneWay => ("one_way", "one way"),
        MessagePattern::Ordered => ("ordered", "ordered"),
        MessagePattern::Unordered => ("unordered", "unordered"),
        MessagePattern::Window => ("window", "window"),
        MessagePattern::CrossingWindows => ("crossing_windows", "windows"),
    };
    Label { key, name, depth: 0 }
}

facts! {
    EXCHANGES = "exchanges", Count, always, "Equal messages between two ranks there and back, or both ways at once.";
    ONE_WAY = "one_way_messages", Count, always,
        "Messages whose receiver waited for them, so that they tell a one-way time.";
    WINDOWS = "window_messages", Count, always,
        "Messages in windows: several one behind the other, answered by one or crossed by as many.";
    UNPAIRED = "unpaired_exchanges", Count, always, "Messages that are part of no exchange.";
}

/// The number of exchanges, windows and one-way times.
pub fn facts(network: &Network) -> Vec<Fact> {
    let one_way = network.count(|pattern| pattern == MessagePattern::OneWay);
    let exchanges = network.count(MessagePattern::is_exchange);
    let windows = network.count(MessagePattern::has_windows);
    let ordered = network.count(|pattern| pattern == MessagePattern::Ordered);
    vec![
        Fact::new(EXCHANGES, "exchanges", Value::Count(exchanges)).note(format!(
            " between two ranks, {} of them ordered; {} in windows; {}",
            whole(ordered),
            plural(windows, "message"),
            plural(one_way, "one-way time")
        )),
        Fact::hidden(WINDOWS, Value::Count(windows)),
        Fact::hidden(ONE_WAY, Value::Count(one_way)),
        Fact::hidden(UNPAIRED, Value::Count(network.unpaired)),
    ]
}

/// Notes on messages that are left out, and why.
pub fn unseen(network: &Network) -> Vec<String> {
    let mut said = Vec::new();
    if network.unpaired > 0 {
        let exchanges = plural(network.unpaired, "exchange");
        said.push(format!("{exchanges} left out: only one of the two ranks saw them without a break"));
    }
    if network.unresolved > 0 {
        let times = plural(network.unresolved, "one-way time");
        said.push(format!("{times} left out: shorter than what the clocks may be off"));
    }
    if network.early > 0 {
        let times = plural(network.early, "one-way time");
        said.push(format!("{times} left out: nearly all messages of their size came before their receiver waited"));
    }
    if network.seldom > 0 {
        let these = verb(network.seldom, "message or exchange", "messages and exchanges");
        said.push(format!("{} {these} left out: fewer than five of their size", whole(network.seldom)));
    }
    if !network.parted.is_empty() {
        let count: u64 = network.parted.values().map(|(count, _)| count).sum();
        let all: u64 = network.parted.values().map(|(_, all)| all).sum();
        let sizes = plural(network.parted.len() as u64, "row");
        said.push(format!("{sizes} without times: {TOO_FEW} ({} of {})", whole(count), whole(all)));
    }
    if network.full > 0 {
        said.push(format!("{} exchanged more than can be kept: the rest is left out", plural(network.full, "rank")));
    }
    said
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use model::Run;
    use model::exchanges::RunExchanges;
    use model::matching::{Follow, settled};

    #[test]
    fn what_was_left_out_is_said_with_its_number_and_nothing_where_that_is_none() {
        let run =
            Run::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/samples/integer_sort-mpich")).unwrap();
        let account = settled(&run, Follow::empty()).account;
        let is_right = |unpaired, full| {
            let found = RunExchanges { unpaired, full, ..Default::default() };
            let network = Network::of(&run, found, &account);
            [("exchanges left out", unpaired), ("ranks exchanged more", full)].map(|(what, count)| {
                let is_said = unseen(&network).iter().any(|said| said.starts_with(&format!("{count} {what}")));
                is_said == (count > 0) && (count > 0 || !unseen(&network).iter().any(|said| said.contains(what)))
            })
        };
        for (unpaired, full) in [(0, 0), (3, 0), (0, 2), (7, 5)] {
            assert_eq!(is_right(unpaired, full), [true; 2], "{unpaired} {full}");
        }
    }
}
