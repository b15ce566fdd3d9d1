//! Selects the part of a run that is analyzed: all of it, regions of one name, or each region by itself; all ranks or some, all
//! time or some; minus what the program excluded by MPI_Pcontrol.
//!
//! In: the regions entered and left by all threads of a rank, and calls of MPI_Pcontrol. Out: each thread's time in
//! [`Stretches`], which tell for the start of a call whether it counts, and as part of which region. A thread that names no
//! regions itself is in those of the rank's first thread.
//!
//! By default, time outside each rank's [`ActiveSpan`] does not count.
//!
//! The levels of MPI_Pcontrol are mpiP's: nothing counts from 0 to 1, nor before the last 2.

mod active_span;
mod read;

use std::collections::{BTreeMap, HashMap};

use litemap::LiteMap;
use traces::definitions::Region;
use traces::file::{FileHeader, NO_RANK};
use traces::read::Contents;

use super::sums::{Grow, Total};
use crate::ranks::Ranks;
use crate::site_naming::SiteNaming;
pub use active_span::{ActiveSpan, ProfilePart, is_starting};
use read::Marks;
pub use read::{RegionMark, region_marks};

/// The user's selection; the program may exclude more.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Choice {
    /// Only regions of this name, and regions inside them.
    pub region: Option<String>,
    pub by_region: bool,
    /// Only these ranks, in the launched world and in spawned ones.
    pub ranks: Option<Ranks>,
    /// Other ranks are only described: their calls are not read.
    pub describes_others: bool,
    /// Only calls that began at this time or later, in nanoseconds on the run's common clock.
    pub from: Option<i64>,
    /// Only calls that began before this time.
    pub to: Option<i64>,
    /// Only the time whose records all ranks have kept: for analyses of single calls. Totals are of the whole run.
    pub kept: bool,
    /// Starting and ending MPI counts, too.
    pub whole: bool,
    /// Names of call sites are not saved for the next analysis.
    pub no_cache: bool,
    /// Names of call sites in tables.
    pub naming: SiteNaming,
}

impl Choice {
    /// True if only some time is selected.
    pub fn has_window(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// True if a rank is selected. If ranks were chosen, a process without a number is not selected.
    pub fn has_rank(&self, header: &FileHeader) -> bool {
        self.ranks.as_ref().is_none_or(|ranks| header.rank != NO_RANK && ranks.contain(header.rank))
    }
}

/// Selected time of a rank, from a tick until another.
pub type Window = (u64, u64);

/// The innermost region's number if each region is analyzed by itself, 0 for none; else always 0.
pub type Part = u32;
/// The part of calls outside the selection.
pub const LEFT_OUT: Part = Part::MAX;

/// A thread's time: from each tick until the next, calls belong to a part. The first tick is 0.
pub type Stretches = Vec<(u64, Part)>;
/// All time counts.
pub const ALL: &[(u64, Part)] = &[(0, 0)];

/// Selected time of a rank.
#[derive(Clone, Debug)]
pub struct Selection {
    /// By thread, and for threads without regions of their own.
    threads: HashMap<u32, Stretches>,
    others: Stretches,
    /// Times that the program excluded, in ticks.
    out: Vec<(u64, u64)>,
    /// More is left out than starting and ending MPI.
    pub is_part: bool,
    /// Selected part of the rank's profile, which knows no regions.
    pub profile: ProfilePart,
    /// Time between starting and ending MPI, if only that is selected.
    pub active: Option<ActiveSpan>,
    span: SelectedSpan,
    /// Selected ticks of the rank's first thread.
    pub time: u64,
    /// Ticks that the program excluded.
    pub taken_out: u64,
    /// Number of times that the rank entered a selected region.
    pub entered: u64,
}

/// Times of a rank's records, and of the profile that follows or replaces them. Ticks.
#[derive(Clone, Copy, Default, Debug)]
struct SelectedSpan {
    begin: u64,
    end: u64,
    /// Time of the profile without its pauses.
    profile: u64,
    stopped: u64,
}

impl Selection {
    /// Selected time of a rank; `None` for all of it.
    pub fn of(
        contents: &Contents<'_>,
        header: &FileHeader,
        regions: &LiteMap<u32, Region>,
        choice: &Choice,
        window: Option<Window>,
    ) -> Option<Selection> {
        let part = Selection::part(contents, header, regions, choice, window);
        let active = if choice.whole { None } else { ActiveSpan::of(contents, header) };
        match active {
            Some(active) => Some(part.unwrap_or_else(Selection::all).within(active)),
            None => part,
        }
    }

    /// The user's selection less the program's exclusions; `None` for all time.
    fn part(
        contents: &Contents<'_>,
        header: &FileHeader,
        regions: &LiteMap<u32, Region>,
        choice: &Choice,
        window: Option<Window>,
    ) -> Option<Selection> {
        let by_regions = choice.by_region || choice.region.is_some();
        let outside = outside(choice.has_rank(header), window);
        if !by_regions && outside.is_empty() && !read::calls_pcontrol(contents) {
            return None;
        }
        let marks = read::marks(contents);
        let out = taken_out(&marks, header);
        let is_named = |number| match &choice.region {
            Some(name) => regions.get(&number).is_some_and(|region| region.name == *name),
            None => true,
        };
        let of_regions = |events: &[RegionMark]| of_regions(events, RegionStack::new(choice, &is_named));
        let stretches = |events: &[RegionMark]| without(&without(&of_regions(events), &out), &outside);
        let of_threads = marks.regions.iter().filter(|_| by_regions);
        let threads: HashMap<u32, Stretches> =
            of_threads.map(|(thread, events)| (*thread, stretches(events))).collect();
        let first = contents.threads.first().map_or(0, |thread| thread.number);
        let others = threads.get(&first).cloned().unwrap_or_else(|| stretches(&[]));
        let asked = |mark: &&RegionMark| mark.is_begin && is_named(mark.number);
        let entered = marks.regions.values().flatten().filter(asked).count() as u64;
        // The times of calls in a profile are unknown.
        let has_profile = choice.region.is_none() && outside.is_empty();
        let profile = if has_profile { ProfilePart::All } else { ProfilePart::Nothing };
        let is_all = !by_regions
            && others == ALL
            && header.profile_begin | header.profile_stopped_at | header.profile_stopped == 0;
        (!is_all).then_some(Selection { threads, others, out, is_part: true, profile, entered, ..Selection::all() })
    }

    fn all() -> Selection {
        Selection {
            threads: HashMap::new(),
            others: ALL.to_vec(),
            out: Vec::new(),
            is_part: false,
            profile: ProfilePart::All,
            active: None,
            span: SelectedSpan::default(),
            time: 0,
            taken_out: 0,
            entered: 0,
        }
    }

    /// Leaves out the time outside a span.
    fn within(mut self, active: ActiveSpan) -> Selection {
        let outside = active.outside();
        for stretches in self.threads.values_mut().chain([&mut self.others]) {
            *stretches = without(stretches, &outside);
        }
        if self.profile == ProfilePart::All {
            self.profile = ProfilePart::Active;
        }
        Selection { active: Some(active), ..self }
    }

    /// Sums up times between the first and the last tick of the rank.
    pub fn measure(&mut self, header: &FileHeader, begin: u64, end: u64) {
        let (begin, end) = match self.active {
            Some(active) => (begin.max(active.begin), active.end.map_or(end, |active| end.min(active))),
            None => (begin, end),
        };
        self.span = SelectedSpan::of(header, begin, end);
        self.time = self.ticks(&self.others);
        let out = length(&without(ALL, &self.out), &self.span, |part| part == LEFT_OUT);
        self.taken_out = out.saturating_add(self.span.stopped);
    }

    pub fn thread(&self, number: u32) -> &[(u64, Part)] {
        self.threads.get(&number).unwrap_or(&self.others)
    }

    pub fn time_of(&self, thread: u32) -> u64 {
        self.ticks(self.thread(thread))
    }

    /// Ticks of the rank's first thread in each part.
    pub fn parts(&self) -> BTreeMap<Part, u64> {
        let mut parts = BTreeMap::new();
        for (part, ticks) in lengths(&self.others, &self.span).filter(|(part, _)| *part != LEFT_OUT) {
            parts.entry(part).or_insert(0u64).grow(ticks);
        }
        if self.profile != ProfilePart::Nothing {
            parts.entry(0).or_default().grow(self.span.profile);
        }
        parts
    }

    fn ticks(&self, stretches: &[(u64, Part)]) -> u64 {
        let in_profile = if self.profile == ProfilePart::Nothing { 0 } else { self.span.profile };
        length(stretches, &self.span, |part| part != LEFT_OUT).saturating_add(in_profile)
    }
}

impl SelectedSpan {
    fn of(header: &FileHeader, begin: u64, end: u64) -> SelectedSpan {
        let records = match header.is_only_profile() {
            true => begin,
            false if header.has_profile() => header.stopped_at.clamp(begin, end.max(begin)),
            false => end,
        };
        let profile = end.saturating_sub(records);
        let forgotten = header.profile_begin.saturating_sub(records);
        let now = if header.profile_stopped_at == 0 { 0 } else { end.saturating_sub(header.profile_stopped_at) };
        let stopped = forgotten.saturating_add(header.profile_stopped).saturating_add(now).min(profile);
        SelectedSpan { begin, end: records, profile: profile - stopped, stopped }
    }
}

/// The regions that a thread is in, innermost last.
struct RegionStack<'a> {
    choice: &'a Choice,
    is_named: &'a dyn Fn(u32) -> bool,
    open: Vec<u32>,
    /// Number of selected regions among them.
    named: usize,
}

impl<'a> RegionStack<'a> {
    fn new(choice: &'a Choice, is_named: &'a dyn Fn(u32) -> bool) -> RegionStack<'a> {
        RegionStack { choice, is_named, open: Vec::new(), named: 0 }
    }

    fn begin(&mut self, number: u32) {
        self.open.push(number);
        self.named += usize::from((self.is_named)(number));
    }

    /// Leaves a region; returns whether the thread was in it.
    fn end(&mut self, number: u32) -> bool {
        let Some(place) = self.open.iter().rposition(|open| *open == number) else { return false };
        self.open.remove(place);
        self.named -= usize::from((self.is_named)(number));
        true
    }

    /// Part of the calls made now.
    fn part(&self) -> Part {
        match &self.choice.region {
            Some(_) if self.named == 0 => LEFT_OUT,
            _ if self.choice.by_region => self.open.last().copied().unwrap_or(0),
            _ => 0,
        }
    }
}

fn of_regions(events: &[RegionMark], mut open: RegionStack<'_>) -> Stretches {
    let mut stretches = vec![(0, open.part())];
    for mark in events {
        if mark.is_begin {
            open.begin(mark.number);
        } else if !open.end(mark.number) {
            continue;
        }
        stretches.push((mark.at, open.part()));
    }
    stretches
}

/// Times that the program excluded, in order, in ticks.
fn taken_out(marks: &Marks, header: &FileHeader) -> Vec<(u64, u64)> {
    let mut out = Vec::new();
    let (mut since, mut forgotten) = (None, header.profile_begin);
    for (start, end, level) in &marks.levels {
        match level {
            0 => since = since.or(Some(*start)),
            1 => out.extend(since.take().map(|since| (since, *end))),
            2 => forgotten = forgotten.max(*end),
            _ => {}
        }
    }
    out.extend(since.map(|since| (since, u64::MAX)));
    out.retain(|(_, until)| *until > forgotten);
    if forgotten > 0 {
        if let Some(first) = out.first_mut() {
            first.0 = first.0.max(forgotten);
        }
        out.insert(0, (0, forgotten));
    }
    out
}

/// Times of a rank outside the user's selection.
fn outside(is_asked: bool, window: Option<Window>) -> Vec<(u64, u64)> {
    let (from, to) = window.filter(|_| is_asked).unwrap_or(if is_asked { (0, u64::MAX) } else { (u64::MAX, u64::MAX) });
    let mut outside = vec![(0, from), (to, u64::MAX)];
    outside.retain(|(from, until)| from < until);
    outside
}

/// Stretches without the excluded times.
fn without(stretches: &[(u64, Part)], out: &[(u64, u64)]) -> Stretches {
    // An exclusion that never ends has no end edge.
    let edges = out.iter().flat_map(|(from, until)| [(*from, true), (*until, false)]).filter(|(at, _)| *at < u64::MAX);
    // At the same tick, a begin counts after an end.
    let mut changes: BTreeMap<u64, (Option<Part>, Option<bool>)> = BTreeMap::new();
    for (at, part) in stretches {
        changes.entry(*at).or_default().0 = Some(*part);
    }
    for (at, is_out) in edges {
        changes.entry(at).or_default().1 = Some(is_out);
    }
    let (mut part, mut is_out) = (0, false);
    let mut rest = Vec::new();
    for (at, (new, out)) in changes {
        (part, is_out) = (new.unwrap_or(part), out.unwrap_or(is_out));
        let now = if is_out { LEFT_OUT } else { part };
        if rest.last().is_none_or(|(_, last)| *last != now) {
            rest.push((at, now));
        }
    }
    rest
}

/// Ticks of the records' time in some parts.
fn length(stretches: &[(u64, Part)], span: &SelectedSpan, is_meant: impl Fn(Part) -> bool) -> u64 {
    lengths(stretches, span).filter(|(part, _)| is_meant(*part)).map(|(_, ticks)| ticks).total()
}

/// Ticks of the records' time in each stretch.
fn lengths(stretches: &[(u64, Part)], span: &SelectedSpan) -> impl Iterator<Item = (Part, u64)> {
    let ends = stretches.iter().skip(1).map(|(at, _)| *at).chain([u64::MAX]);
    let ticks = |from: u64, until: u64| until.min(span.end).saturating_sub(from.max(span.begin));
    stretches.iter().zip(ends).map(move |((from, part), until)| (*part, ticks(*from, until)))
}

/// Position in a thread's stretches.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    stretches: &'a [(u64, Part)],
    from: u64,
    /// Ticks until the next stretch.
    length: u64,
    /// Part of the current stretch.
    pub part: Part,
}

impl<'a> Cursor<'a> {
    pub fn new(stretches: &'a [(u64, Part)]) -> Cursor<'a> {
        let mut cursor = Cursor { stretches, from: 0, length: 0, part: 0 };
        cursor.go(0);
        cursor
    }

    /// True if a tick is outside the current stretch.
    #[inline(always)]
    pub fn is_elsewhere(&self, tick: u64) -> bool {
        tick.wrapping_sub(self.from) >= self.length
    }

    /// Moves to a tick's stretch.
    #[cold]
    #[inline(never)]
    pub fn go(&mut self, tick: u64) {
        let next = self.stretches.partition_point(|(at, _)| *at <= tick);
        let until = self.stretches.get(next).map_or(u64::MAX, |next| next.0);
        (self.from, self.part) = next.checked_sub(1).map_or((0, 0), |at| self.stretches[at]);
        self.length = until - self.from;
    }

    /// Part of a call that began at a tick.
    #[inline(always)]
    pub fn part_at(&mut self, tick: u64) -> Part {
        if self.is_elsewhere(tick) {
            self.go(tick);
        }
        self.part
    }
}
