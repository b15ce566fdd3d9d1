//! Durations, in changed runs, of calls that wait for others.
//!
//! In: when each of its dependencies was met, in the recorded run and in each lane, and when it began and returned. Out: when it
//! returns in each lane. In the recorded run one of them, or its own begin, set when it returned: from there on it takes the time that
//! it took. What the others would have taken alone the run does not show: other messages of that size do.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::busy_calls::{PlaceTimes, Returned};
use super::handed_out::{AskingMessage, HandedOut};
use super::scenario::{DependencyWay, Lanes, WayKind};
use super::transfer_times::Estimate;

/// The dependencies of a call that goes on.
#[derive(Default)]
pub struct Met {
    all: Vec<MetDependency>,
    /// Receives that the send did not wait for, and does with a lower eager limit.
    held_up: Vec<MetDependency>,
    /// Their times in each lane.
    times: Vec<i64>,
}

struct MetDependency {
    recorded: i64,
    /// Place of its times.
    first: usize,
    way: DependencyWay,
    /// Time that it took, in the run or by others like it.
    took: i64,
}

impl Met {
    pub fn add(&mut self, recorded: i64, times: impl Iterator<Item = i64>, way: DependencyWay) {
        // A rank without neighbors to receive from depends on nobody.
        if recorded == i64::MIN {
            return;
        }
        self.all.push(MetDependency { recorded, first: self.times.len(), way, took: 0 });
        self.times.extend(times);
    }

    /// Ends the call, to which the rank comes after `busy`: adds to the delays what it waits and takes. Returns the number of dependencies
    /// that the call had not kept.
    pub fn returns(
        &mut self,
        call: &Returned,
        busy: &[AtomicI64],
        lanes: &Lanes,
        delays: &mut [i64],
        places: &mut PlaceTimes,
    ) -> u64 {
        // A call that returned before did not wait for it, unless the clocks are wrong.
        let mut dropped = 0;
        for met in self.all.extract_if(.., |met| met.recorded > call.end.saturating_add(lanes.tolerance)) {
            if met.way.kind == WayKind::Posted && lanes.may_hold_up(met.way.bytes) {
                self.held_up.push(met);
                continue;
            }
            // A rank that hands nothing on leaves when it likes.
            dropped += u64::from(!matches!(met.way.kind, WayKind::Through(_)));
        }
        let (mut waits, mut calls) = (lanes.times(0), lanes.times(0));
        let at_site = (call.rank, call.site);
        let (mut measured, mut alone) = (None, 0);
        for (lane, (busy, delay)) in busy.iter().zip(&mut *delays).enumerate() {
            let estimate = lanes.estimate(lane);
            if measured != Some(estimate) {
                (measured, alone) = (Some(estimate), self.measure(call, lanes, estimate));
            }
            let busy = busy.load(Relaxed);
            let begin = busy.saturating_add(*delay);
            let mut end = begin.saturating_add(lanes.call(lane, at_site, alone));
            let mut waited = 0;
            if lanes.absent(call.site) >> lane & 1 == 0 {
                for met in &self.all {
                    let eager = met.way.kind == WayKind::Posted && lanes.is_eager(lane, call.site, met.way.bytes);
                    let at = self.times.get(met.first + lane).copied();
                    let Some(at) = at.filter(|at| *at > i64::MIN && !eager) else { continue };
                    waited = waited.max(at.saturating_sub(begin));
                    end = end.max(at.saturating_add(lanes.way(lane, met.way, at_site, met.took)));
                }
                for met in self.held_up.iter().filter(|met| lanes.holds_up(lane, met.way.bytes)) {
                    let Some(at) = self.times.get(met.first + lane).filter(|at| **at > i64::MIN) else { continue };
                    waited = waited.max(at.saturating_sub(begin));
                    let took = lanes.network.way(met.way.bytes, estimate);
                    end = end.max(at.max(&begin).saturating_add(lanes.way(lane, met.way, at_site, took)));
                }
            }
            let took = end.saturating_sub(begin);
            waits[lane] = waited.min(took);
            calls[lane] = took - waits[lane];
            *delay = end.saturating_sub(busy);
        }
        if lanes.has_places {
            places.waits.entry(call.site).or_default().add(&waits);
            places.calls.entry(call.site).or_default().add(&calls);
            let watched = lanes.watched();
            if lanes.absent(call.site) >> watched & 1 == 0 {
                let end = busy[watched].load(Relaxed).saturating_add(delays[watched]);
                places.passes.entry(call.site).or_default().add(end);
                let is_of_several = self.all.iter().any(|met| met.way.is_of_several());
                // Of messages, the network tells how long they take.
                let would_wait = if is_of_several { waits[watched] > 0 } else { waits[0] > 0 };
                self.note_askers(watched, &mut places.handed_out);
                places.own.entry(call.site).or_default().add(calls[0], waits[0] > 0, would_wait);
            }
        }
        self.all.clear();
        self.held_up.clear();
        self.times.clear();
        dropped
    }

    /// Notes the messages of receives that take those of any rank.
    fn note_askers(&self, watched: usize, handed_out: &mut HandedOut) {
        for met in &self.all {
            if let (WayKind::Message(Some(answers)), Some(changed)) =
                (met.way.kind, self.times.get(met.first + watched))
            {
                let (from, recorded, changed) = (met.way.from, met.recorded, *changed);
                handed_out.add(AskingMessage { from, answers: answers.get(), recorded, changed });
            }
        }
    }

    /// Finds how long each dependency took, and returns how long the call takes alone, so that the recorded run follows from them.
    fn measure(&mut self, call: &Returned, lanes: &Lanes, estimate: Estimate) -> i64 {
        let length = call.end.saturating_sub(call.start).max(0);
        for met in &mut self.all {
            let left = call.end.saturating_sub(met.recorded);
            let usual = match met.way.kind {
                WayKind::Message(_) => lanes.network.way(met.way.bytes, estimate),
                _ => 0,
            };
            met.took = usual.min(left);
        }
        let messages = self.all.iter().filter(|met| matches!(met.way.kind, WayKind::Message(_)));
        let bytes: Option<u64> = messages.map(|met| met.way.bytes).reduce(u64::saturating_add);
        let usual = bytes.map_or(0, |bytes| lanes.network.receive(bytes, estimate)).min(length);
        let latest = self.all.iter_mut().max_by_key(|met| (met.recorded.saturating_add(met.took), met.recorded));
        match latest {
            Some(met)
                if met.recorded > call.start
                    || met.recorded.saturating_add(met.took) > call.start.saturating_add(usual) =>
            {
                met.took = call.end.saturating_sub(met.recorded);
                if met.way.is_handed_over(lanes) { met.took.min(length).max(0) } else { usual }
            }
            _ => {
                for met in self.all.iter_mut().filter(|met| met.way.is_handed_over(lanes)) {
                    met.took = length.min(call.end.saturating_sub(met.recorded));
                }
                length
            }
        }
    }
}

impl DependencyWay {
    /// True for calls that wait until several ranks have come.
    fn is_of_several(self) -> bool {
        matches!(self.kind, WayKind::Together(_) | WayKind::Through(_) | WayKind::Step)
    }

    /// True for messages that are handed over once both ranks are there, which takes as long whoever came last.
    fn is_handed_over(self, lanes: &Lanes) -> bool {
        match self.kind {
            WayKind::Posted => true,
            WayKind::Message(_) => lanes.network.waits_for_receive(self.bytes),
            WayKind::Together(_) | WayKind::Through(_) | WayKind::Step => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::scenario::{RunChange, Scenario};
    use super::super::stretches::StretchMeans;
    use super::super::transfer_times::TransferTimes;
    use super::*;

    fn lanes(changes: &[&[RunChange]]) -> Arc<Lanes> {
        let scenario = |changes: &&[RunChange]| Scenario { changes: changes.to_vec(), estimate: Estimate::Typical };
        let scenarios: Vec<Scenario> = changes.iter().map(scenario).collect();
        Arc::new(Lanes::new(&scenarios, TransferTimes::default(), StretchMeans::default(), vec![0, 0], 10))
    }

    /// A call from 100 to 200 whose dependency is met at `recorded`, and at `times` in the lanes. Returns its ends, and the delays'
    /// number of dependencies that were dropped.
    fn ends(lanes: &Lanes, recorded: i64, times: &[i64]) -> (Vec<i64>, u64) {
        let mut met = Met::default();
        met.add(
            recorded,
            times.iter().copied(),
            DependencyWay { kind: WayKind::Message(None), from: 0, to: 1, bytes: 8 },
        );
        let busy: Vec<AtomicI64> = times.iter().map(|_| AtomicI64::new(100)).collect();
        let (mut delays, mut places) = (lanes.times(0), PlaceTimes::default());
        let call = Returned { start: 100, end: 200, rank: 1, site: 7 };
        let dropped = met.returns(&call, &busy, lanes, &mut delays, &mut places);
        (delays.iter().map(|delay| 100 + delay).collect(), dropped)
    }

    #[test]
    fn a_call_that_waited_takes_from_what_it_waited_for_what_it_took() {
        let lanes = lanes(&[&[], &[], &[]]);
        assert_eq!(ends(&lanes, 150, &[150, 450, 90]), (vec![200, 500, 140], 0));
    }

    #[test]
    fn a_call_that_did_not_wait_takes_what_it_took_from_its_begin() {
        let lanes = lanes(&[&[], &[], &[]]);
        assert_eq!(ends(&lanes, 50, &[50, 150, 450]), (vec![200, 200, 450], 0));
    }

    #[test]
    fn a_call_that_returned_before_does_not_depend_on_it() {
        let lanes = lanes(&[&[], &[]]);
        assert_eq!(ends(&lanes, 205, &[205, 305]), (vec![200, 300], 0), "the clocks may be wrong by 10");
        assert_eq!(ends(&lanes, 250, &[250, 350]), (vec![200, 200], 1));
    }

    #[test]
    fn a_call_is_shorter_or_not_made_at_all() {
        let lanes =
            lanes(&[&[RunChange::Calls(vec![7], 0.5)], &[RunChange::Without(vec![7])], &[RunChange::Without(vec![8])]]);
        assert_eq!(ends(&lanes, 150, &[150; 3]).0, [175, 100, 200]);
        assert_eq!(ends(&lanes, 50, &[50; 3]).0, [150, 100, 200]);
    }

    #[test]
    fn calls_of_the_named_ranks_alone_take_no_time_of_their_own() {
        let of = |rank| RunChange::Swift(vec![rank], vec![7]);
        let lanes = lanes(&[&[of(1)], &[of(0)]]);
        assert_eq!(ends(&lanes, 50, &[50; 2]).0, [100, 200]);
    }
}
