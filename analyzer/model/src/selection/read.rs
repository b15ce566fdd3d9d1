//! Reads the marks of regions and MPI_Pcontrol.

use std::collections::{BTreeMap, HashMap, VecDeque};

use traces::calls::Call;
use traces::dropped::Dropped;
use traces::read::{Contents, ThreadPages, Visitor, walk};
use traces::record::RecordKind;
use traces::signature::Signature;

/// Entry to or exit from a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegionMark {
    pub at: u64,
    /// True for an entry.
    pub is_begin: bool,
    pub number: u32,
}

/// Marks of a rank's threads.
#[derive(Default)]
pub struct Marks {
    /// By thread, in order.
    pub regions: BTreeMap<u32, Vec<RegionMark>>,
    /// Calls of MPI_Pcontrol, in order: start, end and level.
    pub levels: Vec<(u64, u64, i32)>,
}

/// True if a rank calls MPI_Pcontrol, judged by signatures alone.
pub fn calls_pcontrol(contents: &Contents<'_>) -> bool {
    let calls = |thread: &ThreadPages<'_>| thread.signatures.iter().any(|signature| level(signature).is_some());
    contents.threads.iter().any(calls)
}

/// Entries and exits of a thread, in order, without exits from regions that another thread had entered.
pub fn region_marks(thread: &ThreadPages<'_>) -> Vec<RegionMark> {
    MarksReader::read(thread).regions
}

pub fn marks(contents: &Contents<'_>) -> Marks {
    let mut marks = Marks::default();
    let mut left_elsewhere = Vec::new();
    for thread in &contents.threads {
        let reader = MarksReader::read(thread);
        marks.levels.extend(reader.levels);
        left_elsewhere.extend(reader.left_elsewhere);
        if !reader.regions.is_empty() {
            marks.regions.insert(thread.number, reader.regions);
        }
    }
    marks.levels.sort_unstable();
    left_elsewhere.sort_unstable();
    marks.leave(&left_elsewhere);
    marks
}

impl Marks {
    /// Applies exits by threads that are not in the region: each ends the region on the thread that entered it first.
    fn leave(&mut self, left_elsewhere: &[(u64, u32)]) {
        let mut open = if left_elsewhere.is_empty() { HashMap::new() } else { self.open() };
        for (at, number) in left_elsewhere {
            let begun = open.get_mut(number).and_then(|begun| begun.pop_front_if(|(begun, _)| *begun <= *at));
            if let Some(events) = begun.and_then(|(_, thread)| self.regions.get_mut(&thread)) {
                events.push(RegionMark { at: *at, is_begin: false, number: *number });
            }
        }
        // At the same tick, such an exit sorts after the thread's own marks.
        for events in self.regions.values_mut() {
            events.sort_by_key(|event| event.at);
        }
    }

    /// Entries without exit of each region, in order, each with its thread.
    fn open(&self) -> HashMap<u32, VecDeque<(u64, u32)>> {
        let mut open: HashMap<u32, VecDeque<(u64, u32)>> = HashMap::new();
        for (thread, events) in &self.regions {
            let mut of_thread: HashMap<u32, VecDeque<u64>> = HashMap::new();
            for mark in events.iter().filter(|mark| mark.is_begin) {
                of_thread.entry(mark.number).or_default().push_back(mark.at);
            }
            for mark in events.iter().filter(|mark| !mark.is_begin) {
                of_thread.get_mut(&mark.number).and_then(VecDeque::pop_front);
            }
            for (number, begun) in of_thread {
                open.entry(number).or_default().extend(begun.into_iter().map(|at| (at, *thread)));
            }
        }
        for begun in open.values_mut() {
            begun.make_contiguous().sort_unstable();
        }
        open
    }
}

/// Level of a call of MPI_Pcontrol; `None` for other calls.
fn level(signature: &Signature) -> Option<i32> {
    (signature.call == Call::Pcontrol.number()).then_some(signature.source_tag)
}

#[derive(Default)]
struct MarksReader {
    /// By signature number.
    levels_of: Vec<Option<i32>>,
    levels: Vec<(u64, u64, i32)>,
    regions: Vec<RegionMark>,
    /// Entries into each region less its exits.
    open: BTreeMap<u32, u64>,
    left_elsewhere: Vec<(u64, u32)>,
}

impl MarksReader {
    fn read(thread: &ThreadPages<'_>) -> MarksReader {
        let levels_of = thread.signatures.by_number(None, |signature, _| level(signature));
        let mut reader = MarksReader { levels_of, ..MarksReader::default() };
        if let Some(dropped) = &thread.dropped {
            reader.goes_on(dropped);
        }
        for page in &thread.pages {
            // Damage is reported when the calls are counted.
            let _ = walk(page, &mut reader);
        }
        reader
    }

    /// Begins after the dropped records, with the regions that the thread is in and the level of its last MPI_Pcontrol.
    fn goes_on(&mut self, dropped: &Dropped<'_>) {
        let until = dropped.head.until;
        for number in dropped.regions {
            self.region(RecordKind::RegionBegin, until, *number);
        }
        if dropped.head.level >= 0 {
            self.levels.push((until, until, dropped.head.level));
        }
    }
}

impl Visitor for MarksReader {
    #[inline]
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        if let Some(Some(level)) = self.levels_of.get(signature as usize) {
            self.levels.push((start, start.wrapping_add(duration), *level));
        }
    }

    fn region(&mut self, kind: RecordKind, at: u64, number: u32) {
        let open = self.open.entry(number).or_default();
        let is_begin = kind == RecordKind::RegionBegin;
        match *open {
            _ if is_begin => *open += 1,
            0 => return self.left_elsewhere.push((at, number)),
            _ => *open -= 1,
        }
        self.regions.push(RegionMark { at, is_begin, number });
    }
}
