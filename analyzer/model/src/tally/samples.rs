//! Sums up the samples of a rank's threads: between two calls by place, inside a call by the call.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use traces::read::ThreadPages;
use traces::record::{Sample, Unsampled};
use traces::signature::{NESTED, Signature};

use crate::sums::Grow;

/// A function of MPI by its number, and the number of the site that calls it.
pub type SiteCall = (u16, u32);

/// Samples of a rank, in periods of processor time.
#[derive(Clone, Default, Debug)]
pub struct Samples {
    /// The processor time of a period, nanoseconds; 0 if nothing was sampled.
    pub period: u64,
    /// By the calls before and after, which are missing at a thread's begin and end, and by the number of the site.
    pub between: BTreeMap<(Option<SiteCall>, Option<SiteCall>), BTreeMap<u32, u64>>,
    pub inside: BTreeMap<SiteCall, u64>,
    pub unsampled: Unsampled,
    /// All sites of samples, including those outside the selection.
    pub sites: BTreeSet<u32>,
}

impl Samples {
    /// Periods between calls, by the number of the site.
    pub fn by_site(&self) -> BTreeMap<u32, u64> {
        let mut sites: BTreeMap<u32, u64> = BTreeMap::new();
        for (site, periods) in self.between.values().flatten() {
            sites.entry(*site).or_default().grow(*periods);
        }
        sites
    }

    /// Nanoseconds of a number of periods.
    pub fn time(&self, periods: u64) -> i64 {
        periods.saturating_mul(self.period) as i64
    }

    pub fn add(&mut self, other: Samples) {
        for (gap, sites) in other.between {
            for (site, periods) in sites {
                self.between.entry(gap).or_default().entry(site).or_default().grow(periods);
            }
        }
        for (call, periods) in other.inside {
            self.inside.entry(call).or_default().grow(periods);
        }
        self.unsampled.recording.grow(other.unsampled.recording);
        self.unsampled.lost.grow(other.unsampled.lost);
        self.sites.extend(other.sites);
    }
}

/// Collects a thread's samples by the numbers of signatures.
#[derive(Default)]
pub struct SampleCounter {
    /// By signature: true if its calls are made inside others.
    nested: Vec<bool>,
    /// Samples since the last call.
    latest: Vec<Sample>,
    between: HashMap<(u32, u32, u32), u64>,
    inside: HashMap<u32, u64>,
    unsampled: Unsampled,
    sites: BTreeSet<u32>,
}

/// Stands for no call. No signature has this number.
const NO_CALL: u32 = 0;

impl SampleCounter {
    pub fn new(thread: &ThreadPages<'_>) -> SampleCounter {
        let nested = thread.signatures.by_number(false, |signature, _| signature.flags & NESTED != 0);
        SampleCounter { nested, ..SampleCounter::default() }
    }

    pub fn is_waiting(&self) -> bool {
        !self.latest.is_empty()
    }

    pub fn sample(&mut self, sample: Sample, is_selected: bool) {
        self.sites.insert(sample.site);
        if is_selected {
            self.latest.push(sample);
        }
    }

    pub fn inside(&mut self, signature: u32, periods: u64) {
        self.inside.entry(signature).or_default().grow(periods);
    }

    pub fn unsampled(&mut self, periods: Unsampled) {
        self.unsampled.recording.grow(periods.recording);
        self.unsampled.lost.grow(periods.lost);
    }

    /// Places the samples since the call `before`, now that the next one is known. A call inside that one is recorded before it.
    #[cold]
    #[inline(never)]
    pub fn next_call(&mut self, before: u32, signature: u32) {
        if !self.nested.get(signature as usize).copied().unwrap_or(false) {
            self.place(before, signature);
        }
    }

    fn place(&mut self, before: u32, after: u32) {
        for sample in self.latest.drain(..) {
            self.between.entry((before, after, sample.site)).or_default().grow(sample.periods);
        }
    }

    /// The thread's samples. `last` is the signature of its last call.
    pub fn finish(mut self, thread: &ThreadPages<'_>, last: u32) -> Samples {
        self.place(last, NO_CALL);
        let call = |signature: &Signature| Some((signature.call, signature.site));
        let calls = thread.signatures.by_number(None, |signature, _| call(signature));
        let call = |number: u32| calls.get(number as usize).copied().flatten();
        let mut samples = Samples { unsampled: self.unsampled, sites: self.sites, ..Samples::default() };
        for ((before, after, site), periods) in self.between {
            let gap = samples.between.entry((call(before), call(after))).or_default();
            gap.entry(site).or_default().grow(periods);
        }
        for (number, periods) in self.inside {
            if let Some(call) = call(number) {
                samples.inside.entry(call).or_default().grow(periods);
            }
        }
        samples
    }
}
