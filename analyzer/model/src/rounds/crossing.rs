//! Finds messages that cross: each was sent before the other arrived.

use rustc_hash::FxHashMap;

use crate::matching::Delivery;

/// For each delivery, whether it crosses another one. Deliveries are in the order of sending.
pub fn crossed(deliveries: &[Delivery]) -> Vec<bool> {
    let mut by_way: FxHashMap<(u32, u32), Vec<usize>> = FxHashMap::default();
    for (number, delivery) in deliveries.iter().enumerate() {
        by_way.entry((delivery.from.rank, delivery.to.rank)).or_default().push(number);
    }
    let mut crossed = vec![false; deliveries.len()];
    for ((from, to), there) in &by_way {
        if from == to {
            there.iter().for_each(|number| crossed[*number] = true);
            continue;
        }
        let Some(back) = by_way.get(&(*to, *from)) else { continue };
        mark(deliveries, there, back, &mut crossed);
    }
    crossed
}

/// Marks messages of one direction that cross one of the other. Both are in the order of sending, so messages of the other
/// direction that were sent before this one arrived come first; whether one of them arrived after this one was sent follows from
/// the latest end.
fn mark(deliveries: &[Delivery], there: &[usize], back: &[usize], crossed: &mut [bool]) {
    let mut order: Vec<usize> = there.to_vec();
    order.sort_unstable_by_key(|number| deliveries[*number].end);
    let (mut next, mut latest) = (0, i64::MIN);
    for number in order {
        let delivery = &deliveries[number];
        while let Some(other) = back.get(next).map(|other| &deliveries[*other])
            && other.begin < delivery.end
        {
            latest = latest.max(other.end);
            next += 1;
        }
        crossed[number] |= latest > delivery.begin;
    }
}
