//! A file that a thread writes at full speed is read meanwhile, and nothing is misread: calls, records, polls and
//! signatures fit together by a rule that the writer keeps.

use std::fs;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::time::{Duration, Instant};

use memmap2::{MmapOptions, MmapRaw};
use recorder_core::page_cursor::PageCursor;
use recorder_core::polls::PollRun;
use traces::file::{FIRST_PAGE, Level, PageHeader, PageKind};
use traces::live::LiveBlock;
use traces::read::{Follower, FoundPage, Place, RankFile, Visitor, Walk};
use traces::record;
use traces::signature::Signature;
use traces::write::{FileWriter, UNIT, blank_block, blank_header};
use zerocopy::{FromBytes, IntoBytes, transmute};

/// Least number of looks at the file, and of looks that find an open call.
const LOOKS: usize = 20_000;
const INSIDE: usize = 1000;
const LIMIT: Duration = Duration::from_secs(120);

const SIGNATURES: u64 = 500;
/// Words of the page of records. Once it is full, the writer goes on with the block alone.
const WORDS: usize = 2 << 20;

/// The rule: a call's start tells its signature.
fn signature_at(start: u64) -> u64 {
    1 + start / 7 % SIGNATURES
}

/// A call's duration, likewise: some are too long for a record of one word, some for one of two.
fn duration_at(start: u64) -> u64 {
    if start.is_multiple_of(4) { 1 << 30 } else { 1 + start % 3 }
}

struct MadeFile {
    path: std::path::PathBuf,
    map: MmapRaw,
    /// Offsets of the pages' bodies, and their bytes.
    pages: Vec<(u32, usize, usize)>,
}

impl MadeFile {
    fn new(name: &str) -> MadeFile {
        let mut file = FileWriter::begin(Vec::new(), blank_header()).unwrap();
        file.thread(0, &blank_block()).unwrap();
        file.signatures(0, 0, &vec![Signature::EMPTY; SIGNATURES as usize]).unwrap();
        file.events(0, 0, 0, &vec![0; WORDS]).unwrap();
        let mut bytes = file.into_inner();
        let (mut pages, mut at) = (Vec::new(), FIRST_PAGE);
        while let Some(Ok((header, _))) = bytes.get(at..).map(PageHeader::read_from_prefix) {
            let (body, all) = (at + size_of::<PageHeader>(), header.units as usize * UNIT);
            // The recorder's pages are zeros at first.
            bytes[body..at + all].as_mut_bytes().fill(0);
            pages.push((header.kind, body, all - size_of::<PageHeader>()));
            at += all;
        }
        let path = std::env::temp_dir().join(format!("overhear-live-{name}-{}.ovh", std::process::id()));
        fs::write(&path, bytes).unwrap();
        let file = fs::File::options().read(true).write(true).open(&path).unwrap();
        MadeFile { path, map: MmapOptions::new().map_raw(&file).unwrap(), pages }
    }

    fn body(&self, kind: PageKind) -> (NonNull<u8>, usize) {
        let (_, at, bytes) = *self.pages.iter().find(|page| page.0 == kind as u32).unwrap();
        // SAFETY: the page is in the mapping.
        (NonNull::new(unsafe { self.map.as_mut_ptr().add(at) }).unwrap(), bytes)
    }

    fn cursor(&self, kind: PageKind) -> PageCursor {
        let ((first, bytes), cursor) = (self.body(kind), PageCursor::new());
        // SAFETY: the page is zeros, and nothing else writes to it.
        unsafe { cursor.turn_to(first.cast::<AtomicU64>(), bytes / size_of::<u64>()) };
        cursor
    }

    /// Makes calls until told to stop, as the recorder writes them.
    fn write(&self, stop: &AtomicBool) {
        let (records, signatures) = (self.cursor(PageKind::Events), self.cursor(PageKind::Signatures));
        // SAFETY: the page is zeros, and only this thread writes to it.
        let block: &LiveBlock = unsafe { self.body(PageKind::Thread).0.cast().as_ref() };
        let (mut last, mut start, mut defined, mut is_full) = (0, 1, 0, false);
        while !stop.load(Relaxed) {
            let number = signature_at(start);
            while defined < number {
                defined += 1;
                let words: [u64; 8] =
                    transmute!(Signature { number: defined as u32, sent: defined, ..Signature::EMPTY });
                assert!(signatures.write(&words));
            }
            block.calls.enter_first(Level { start, signature: number });
            let (gap, duration) = (start - last, duration_at(start));
            let polls = PollRun(&block.polls);
            if start.is_multiple_of(5) && !is_full {
                polls.begin(number as u32, start, start + 1);
                for _ in 0..3 {
                    polls.join(number as u32, start + 1, start + 1);
                }
                polls.end();
            }
            is_full = is_full
                || !match record::short(number as u32, gap, duration) {
                    Some(word) => records.put(word),
                    None if start.is_multiple_of(8) => {
                        records.write(&record::long(number as u32, gap as i64, duration))
                    }
                    None => records.write(&record::wide(number as u32, gap as i64, duration).unwrap()),
                };
            block.calls.set_depth(0);
            last = start + duration;
            start = last + 1;
        }
    }
}

impl Drop for MadeFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Checks records by the rule.
#[derive(Default)]
struct Checked {
    records: usize,
    highest: u32,
}

impl Visitor for Checked {
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        assert_eq!((u64::from(signature), duration), (signature_at(start), duration_at(start)), "record at {start}");
        self.records += 1;
        self.highest = self.highest.max(signature);
    }
}

#[test]
fn nothing_is_misread_of_a_file_that_is_written_at_full_speed() {
    let (file, stop) = (MadeFile::new("file"), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| file.write(&stop));
        let looked = std::panic::catch_unwind(|| look(&file));
        stop.store(true, Relaxed);
        let (checked, inside, in_polls) = looked.unwrap_or_else(|wrong| std::panic::resume_unwind(wrong));
        assert!(checked.records > 0 && inside >= INSIDE, "{} records, {inside} calls", checked.records);
        println!("{LOOKS} looks or more: {} records, {inside} open calls, {in_polls} runs of polls", checked.records);
    });
}

/// Looks at the file until enough calls were seen, and checks what it finds. Returns the checked records, and the
/// numbers of open calls and of runs of polls that it saw.
fn look(file: &MadeFile) -> (Checked, usize, usize) {
    let mut follower = Follower::open(&file.path).unwrap();
    let found = follower.find();
    let page = |kind: PageKind| -> &FoundPage { found.iter().find(|page| page.kind == kind).unwrap() };
    let (mut checked, mut place, mut known) = (Checked::default(), Place::default(), 0);
    let (mut looks, mut inside, mut in_polls, mut room) = (0, 0, 0, Vec::new());
    let began = Instant::now();
    while (looks < LOOKS || inside < INSIDE) && began.elapsed() < LIMIT {
        looks += 1;
        let records = follower.events(page(PageKind::Events), &mut room).unwrap();
        let mut walk = Walk::at(&records, place);
        walk.step(&mut checked, 10_000).unwrap();
        place = walk.place();
        let block = follower.block(page(PageKind::Thread)).unwrap().copy();
        for signature in follower.signatures(page(PageKind::Signatures), known) {
            known += 1;
            assert_eq!((signature.number as usize, signature.sent as usize), (known, known));
        }
        assert!(checked.highest as usize <= known, "record of signature {}, {known} known", checked.highest);
        match block.depth {
            0 => {}
            1 => {
                let Level { start, signature } = block.levels[0];
                assert_eq!(signature, signature_at(start), "call at {start}");
                assert!(signature as usize <= known, "call of signature {signature}, {known} known");
                inside += 1;
            }
            depth => panic!("{depth} calls are open"),
        }
        if block.polls.count > 0 {
            let polls = block.polls;
            assert_eq!(polls.signature, signature_at(polls.start), "polls at {}", polls.start);
            assert!(polls.count <= 4 && polls.end == polls.start + 1 && polls.total == 1, "{polls:?}");
            in_polls += 1;
        }
    }
    (checked, inside, in_polls)
}

/// The number of looks at a block with its records.
const FITTING: usize = 1000;

/// The last call of the records.
#[derive(Default)]
struct LastCall {
    start: u64,
    end: u64,
}

impl Visitor for LastCall {
    fn call(&mut self, _: u32, start: u64, duration: u64) {
        *self = LastCall { start, end: start + duration };
    }
}

#[test]
fn the_open_call_of_a_thread_at_full_speed_is_the_one_after_its_last_record() {
    // The writer fills its page in some milliseconds: a reader that lacks a core so long sees no open call of it.
    let (mut inside, mut files) = (0, 0);
    let began = Instant::now();
    while inside == 0 && began.elapsed() < LIMIT {
        let (file, stop) = (MadeFile::new("call"), AtomicBool::new(false));
        inside = std::thread::scope(|scope| {
            scope.spawn(|| file.write(&stop));
            let looked = std::panic::catch_unwind(|| look_at_open_calls(&file));
            stop.store(true, Relaxed);
            looked.unwrap_or_else(|wrong| std::panic::resume_unwind(wrong))
        });
        files += 1;
    }
    assert!(inside > 0, "no open call in {files} files");
    println!("{inside} open calls, {files} files");
}

/// Looks at the block and the records until the page is full. Returns the number of open calls.
fn look_at_open_calls(file: &MadeFile) -> usize {
    let trace = RankFile::open(&file.path).unwrap();
    let contents = trace.contents();
    let thread = &contents.threads[0];
    let mut walk = Walk::new(&thread.pages[0]);
    let (mut last, mut inside) = (LastCall::default(), 0);
    for _ in 0..FITTING {
        let block = thread.block_behind(Some(&mut walk), &mut last).unwrap().unwrap();
        if !walk.has_room() {
            break;
        }
        if block.depth == 1 {
            let start = block.levels[0].start;
            assert!(start == last.start || start == last.end + 1, "call at {start} after one until {}", last.end);
            inside += 1;
        }
    }
    inside
}
