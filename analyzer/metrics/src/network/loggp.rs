//! The parameters of LogGP, from any run with the messages that determine them.
//!
//! o_s is the time of calls that send short messages; o_r that of MPI_Recv for a message that came long before; g the
//! time between consecutive sends; G what each byte adds to a one-way message, or to half an ordered exchange; L the
//! time of the smallest message less both overheads.

use super::gathered_network::Network;
use super::network_tables::between;
use super::points::{Between, MessagePattern, Point};
use super::weighted_median::{Spread, spread};
use crate::words::plural;
use model::roles::CallSite;
use tables::number::whole;
use tables::{Column, Label, Row, Table};
use traces::calls::Call;

/// Maximum number of bytes of a short message.
const SHORT: u64 = 1024;
/// A message came long before its receive if it was sent this many times its own duration earlier.
const LONG_BEFORE: f64 = 5.0;
/// Or, if its duration is unknown, this many nanoseconds earlier.
const LONG: f64 = 100e3;
/// G is given in seconds per this many bytes, since the time of one byte is too short to read.
const MEBIBYTE: f64 = (1 << 20) as f64;

/// A parameter between ranks on one host or on two.
#[derive(Clone)]
pub struct ParameterRow {
    between: Between,
    parameter: Label,
    value: Result<(Spread, String), &'static str>,
}

impl Row for ParameterRow {
    const TABLE: &'static str = "loggp";
    fn columns() -> Vec<Column<Self>> {
        let value = |row: &Self| row.value.as_ref().ok().map(|(spread, _)| *spread);
        vec![
            Column::label("between", "on", |row: &Self| between(row.between))
                .means("The place of the two ranks: on one host, or on two.")
                .name(),
            Column::label("parameter", "parameter", |row: &Self| row.parameter)
                .means("A parameter of LogGP: L latency, o overhead, g gap between messages, G gap for each byte.")
                .name(),
            Column::seconds("value_s", "value", move |row: &Self| value(row).map(|value| value.median))
                .means("Its value; empty where the trace does not determine it."),
            Column::seconds("value_least_s", "least", move |row: &Self| Some(value(row)?.interval?.0))
                .means("The least that it may be, with 95 % confidence."),
            Column::seconds("value_most_s", "most", move |row: &Self| Some(value(row)?.interval?.1))
                .means("The most that it may be, with 95 % confidence."),
            Column::text("source", "from", |row: &Self| row.value.as_ref().ok().map(|(_, source)| source.clone()))
                .means("The calls and messages of the trace that determine it.")
                .spare(1),
            Column::text("reason", "", |row: &Self| row.value.as_ref().err().map(|reason| reason.to_string()))
                .means("Why it is not determined."),
        ]
    }
}

/// Five rows for ranks on one host, and five for ranks on two, if there are any.
pub fn parameters(network: &Network) -> Table<ParameterRow> {
    let mut kinds: Vec<Between> = network.protocols.keys().map(|protocol| protocol.between).collect();
    kinds.extend(network.transfers().map(|(between, ..)| between));
    kinds.sort();
    kinds.dedup();
    Table::new("LogGP", kinds.into_iter().flat_map(|between| rows(network, between)).collect()).for_programs()
}

/// The parameters that the run determines, for text: warnings name the others.
pub fn determined(parameters: &Table<ParameterRow>) -> Table<ParameterRow> {
    let rows = parameters.rows.iter().filter(|row| row.value.is_ok()).cloned().collect();
    Table::new("LogGP", rows).for_people().silent_empty()
}

/// Reasons why parameters are not determined, one sentence each.
pub fn undetermined(parameters: &Table<ParameterRow>) -> Vec<String> {
    let mut said: Vec<(Between, &str, Vec<&str>)> = Vec::new();
    for row in &parameters.rows {
        let Err(reason) = row.value else { continue };
        let name = row.parameter.name;
        match said.iter_mut().find(|(between, other, _)| (*between, *other) == (row.between, reason)) {
            Some((.., names)) => names.push(name),
            None => said.push((row.between, reason, vec![name])),
        }
    }
    let sentence = |(own, reason, names): (Between, &str, Vec<&str>)| {
        format!("LogGP's {} not determined on {}: {reason}", names.join(", "), between(own).name)
    };
    said.into_iter().map(sentence).collect()
}

fn rows(network: &Network, between: Between) -> Vec<ParameterRow> {
    let smallest = smallest(network, between);
    let sending = sending(network, between);
    let receiving = receiving(network, between, smallest.as_ref().ok().map(|smallest| smallest.0.median));
    let label = |key, name| Label { key, name, depth: 0 };
    let row = |key, name, value| ParameterRow { between, parameter: label(key, name), value };
    let latency = match (&smallest, &sending, &receiving) {
        (Ok((whole, source)), Ok((sending, _)), Ok((receiving, _))) => {
            latency(*whole, *sending, *receiving).map(|latency| (latency, source.clone()))
        }
        (Err(reason), ..) => Err(*reason),
        _ => Err("it is what the overheads leave, and one of them is not known"),
    };
    vec![
        row("latency", "L", latency),
        row("send_overhead", "o_s", sending),
        row("receive_overhead", "o_r", receiving),
        row("gap", "g", gap(network, between)),
        row("gap_per_mebibyte", "G (1 MiB)", gap_per_mebibyte(network, between)),
    ]
}

type Parameter = Result<(Spread, String), &'static str>;

fn latency(whole: Spread, sending: Spread, receiving: Spread) -> Result<Spread, &'static str> {
    let left = whole.median - sending.median - receiving.median;
    let reaches = [whole.reach(), sending.reach(), receiving.reach()];
    let reach = reaches.into_iter().try_fold(0.0f64, |sum, reach| Some(sum.hypot(reach?)));
    if left > 0.0 {
        Ok(Spread::about(left, reach))
    } else {
        Err("the overheads are longer than the smallest message takes: they overlap it")
    }
}

/// The one-way time of the smallest message.
fn smallest(network: &Network, between: Between) -> Parameter {
    let own = |pattern: MessagePattern| {
        network.protocols.iter().filter(move |(protocol, _)| (protocol.between, protocol.pattern) == (between, pattern))
    };
    let least = |pattern: MessagePattern| {
        let points = own(pattern).filter_map(|(protocol, points)| Some((protocol, points.first()?)));
        let short = points.filter(|(_, point)| point.bytes <= SHORT);
        short.min_by_key(|(_, point)| (point.bytes, std::cmp::Reverse(point.count)))
    };
    if let Some((protocol, point)) = least(MessagePattern::Ordered) {
        let source = format!("half of {} B there and back, {}", point.bytes, protocol.calls);
        return Ok((point.time.times(0.5), source));
    }
    let (protocol, point) =
        least(MessagePattern::OneWay).ok_or("no message up to 1 KiB went to a rank that waited for it")?;
    let reach = point.time.reach().map(|reach| reach + point.clock_error);
    Ok((Spread::about(point.time.median, reach), format!("{} B, {}", point.bytes, protocol.calls)))
}

fn sending(network: &Network, between: Between) -> Parameter {
    let sends = [Call::Send, Call::Isend, Call::Rsend, Call::Irsend, Call::Bsend, Call::Ibsend];
    let is_send = |site: &CallSite| site.call().is_some_and(|call| sends.contains(&call));
    let mut values = Vec::new();
    for (.., transfer) in
        network.transfers().filter(|(own, site, key, _)| *own == between && key.bytes <= SHORT && is_send(site))
    {
        let weight = transfer.messages as f64 / transfer.sends.values().count().max(1) as f64;
        values.extend(transfer.sends.values().map(|time| (*time as f64 / 1e9, weight)));
    }
    let source = format!("{} that send up to 1 KiB", plural(values.len() as u64, "call"));
    Ok((spread(values).ok_or("no call but synchronous or combined ones sent up to 1 KiB")?, source))
}

fn receiving(network: &Network, between: Between, whole: Option<f64>) -> Parameter {
    let before = whole.map_or(LONG, |whole| LONG_BEFORE * whole * 1e9);
    let own = network.transfers().filter(|(own, _, key, _)| *own == between && key.bytes <= SHORT);
    let receives = own.flat_map(|(.., transfer)| transfer.receives.values());
    let late = receives.filter(|(ahead, _)| *ahead as f64 >= before);
    let values: Vec<(f64, f64)> = late.map(|(_, time)| (*time as f64 / 1e9, 1.0)).collect();
    let source = format!("{} up to 1 KiB that came long before", plural(values.len() as u64, "receive"));
    let values = Some(values).filter(|values| values.len() >= 5).unwrap_or_default();
    match network.is_by_sockets() {
        _ if values.is_empty() => {}
        Some(true) => {
            return Err(
                "messages came through sockets, which the engine had read before MPI_Recv: it only copied them",
            );
        }
        None => return Err("so few bytes may have come through sockets, which the engine reads before MPI_Recv"),
        Some(false) => {}
    }
    Ok((
        spread(values).ok_or("fewer than five MPI_Recv found a message up to 1 KiB that had come long before")?,
        source,
    ))
}

fn gap(network: &Network, between: Between) -> Parameter {
    let own = network.sends().filter(|(own, streak)| *own == between && streak.bytes <= SHORT);
    let mean_gap = |(_, streak): (_, &model::exchanges::SendStreak)| {
        let gaps = (streak.count - 1) as f64;
        (streak.time as f64 / 1e9 / gaps, gaps)
    };
    let values: Vec<(f64, f64)> = own.map(mean_gap).collect();
    let source = format!("{} 16 sends or more in a row", plural(values.len() as u64, "time"));
    Ok((spread(values).ok_or("no rank sent 16 messages up to 1 KiB in a row to another")?, source))
}

/// The largest relative error, on either side, of a slope that counts.
const SURE: f64 = 0.5;

/// The time that each MiB adds to the largest messages. Windows show it best, since their messages hide each other's
/// latency.
fn gap_per_mebibyte(network: &Network, between: Between) -> Parameter {
    let patterns = [(MessagePattern::Window, 1.0), (MessagePattern::OneWay, 1.0), (MessagePattern::Ordered, 0.5)];
    let mut is_known = false;
    for (pattern, share) in patterns {
        let own =
            network.segments.iter().filter(|(protocol, _)| (protocol.between, protocol.pattern) == (between, pattern));
        let pieces = own.filter_map(|(protocol, pieces)| Some((protocol, pieces.last()?)));
        let large =
            pieces.max_by_key(|(_, piece)| piece.points.last().map(|Point { bytes, count, .. }| (*bytes, *count)));
        let Some((protocol, piece)) = large else { continue };
        is_known = true;
        let (Some(first), Some(last)) = (piece.points.first(), piece.points.last()) else { continue };
        let slope = piece.line.b.filter(|b| b.reach().is_some_and(|reach| reach <= SURE * b.median));
        if let Some(slope) = slope.filter(|slope| slope.median > 0.0) {
            let source = format!("{} to {} B, {}", whole(first.bytes), whole(last.bytes), protocol.calls);
            return Ok((slope.times(share * MEBIBYTE), source));
        }
    }
    Err(if is_known {
        "the times of its messages do not tell what a byte adds to within half of it"
    } else {
        "fewer than three sizes went one way to a rank that waited, there and back, or in windows"
    })
}
