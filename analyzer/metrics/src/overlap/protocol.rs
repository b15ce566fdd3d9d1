//! Finds the sizes between which a library changes its protocol, if the figures show it.

use super::gathered::RequestSize;
use super::overlap_tables::MessageOverlapRow;
use tables::Value;

/// The least change of availability, in percentage points. It must also be three times that between the neighboring
/// sizes.
const JUMP: f64 = 25.0;
/// The least growth of overhead, as a factor. It must also be twice that between the neighboring sizes.
const GROWTH: f64 = 3.0;
/// The least growth between the neighboring sizes: with less, one size was just disturbed.
const FALL: f64 = 0.75;

/// A sentence for each call site whose figures jump between two sizes and are steady on both sides. `rows` are in the order of their
/// sites and sizes.
pub fn switches(rows: &[MessageOverlapRow]) -> Vec<String> {
    rows.chunk_by(|one, other| one.place == other.place).filter_map(switch).collect()
}

fn switch(rows: &[MessageOverlapRow]) -> Option<String> {
    let place = &rows[0].place;
    let figures = |row: &MessageOverlapRow| {
        Some((row.size, (row.estimate.availability.as_ref()?.percent, row.estimate.overhead?)))
    };
    let (sizes, figures): (Vec<RequestSize>, Vec<(f64, f64)>) = rows.iter().filter_map(figures).unzip();
    let at = change(&figures)?;
    let ((available, overhead), (then, more)) = (figures[at], figures[at + 1]);
    let bytes = |size: RequestSize| Value::Bytes(size.bytes);
    let time = |nanoseconds: f64| Value::Seconds(nanoseconds / 1e9);
    let whose = format!("{} at {}", place.function, place.site);
    Some(format!(
        "{whose}: the protocol seems to change between {} and {}: availability from {available:.0} to {then:.0} %, \
         overhead from {} to {}",
        bytes(sizes[at]),
        bytes(sizes[at + 1]),
        time(overhead),
        time(more)
    ))
}

/// The index of the size after which the protocol changes. `figures` has availability in percent and overhead in
/// nanoseconds, by size.
fn change(figures: &[(f64, f64)]) -> Option<usize> {
    let jump = |at: usize| (figures[at + 1].0 - figures[at].0).abs();
    let growth = |at: usize| figures[at + 1].1 / figures[at].1.max(1.0);
    let jumps = |at: &usize| jump(*at) >= JUMP && jump(*at) >= 3.0 * jump(at - 1).max(jump(at + 1));
    let is_steady = |at: usize| growth(at) >= FALL;
    let grows = |at: &usize| {
        let beside = [growth(at - 1), growth(at + 1)];
        growth(*at) >= GROWTH
            && beside.iter().all(|other| growth(*at) >= 2.0 * other)
            && is_steady(at - 1)
            && is_steady(at + 1)
    };
    let inner = 1..figures.len().saturating_sub(2);
    inner.clone().find(jumps).or_else(|| inner.clone().find(grows))
}

#[cfg(test)]
mod tests {
    use super::change;

    fn available(percents: &[f64]) -> Vec<(f64, f64)> {
        percents.iter().map(|percent| (*percent, 1000.0)).collect()
    }

    fn takes(nanoseconds: &[f64]) -> Vec<(f64, f64)> {
        nanoseconds.iter().map(|overhead| (50.0, *overhead)).collect()
    }

    #[test]
    fn availability_that_jumps_once_between_steady_sizes_tells_where_the_protocol_changes() {
        assert_eq!(change(&available(&[95.0, 94.0, 96.0, 20.0, 21.0, 19.0])), Some(2));
        assert_eq!(change(&available(&[20.0, 21.0, 90.0, 91.0])), Some(1));
        // No change: it jumps too little, changes step by step, or has too few sizes on one side.
        assert_eq!(change(&available(&[95.0, 95.0, 71.0, 71.0])), None);
        assert_eq!(change(&available(&[90.0, 80.0, 50.0, 30.0, 20.0])), None);
        assert_eq!(change(&available(&[95.0, 20.0, 20.0])), None);
        assert_eq!(change(&[]), None);
    }

    #[test]
    fn overhead_that_grows_at_once_and_stays_tells_it_too() {
        assert_eq!(change(&takes(&[300.0, 310.0, 2000.0, 2100.0])), Some(1));
        // No change: it grows with the size, or a single size was disturbed, the one before the growth or the one after it.
        assert_eq!(change(&takes(&[300.0, 600.0, 2000.0, 4100.0])), None);
        assert_eq!(change(&takes(&[300.0, 310.0, 2000.0, 400.0, 410.0])), None);
        assert_eq!(change(&takes(&[1000.0, 300.0, 2000.0, 2100.0])), None);
    }
}
