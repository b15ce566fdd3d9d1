//! Looks at a program that calls MPI without a pause: each finds calls that the program makes.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{case, libraries, one_at_most};
use examples::run::overhear;
use examples::running::Running;
use traces::calls::Call;
use traces::file::PageKind;
use traces::progress::Polls;
use traces::read::{Follower, FoundPage, Place, Visitor, Walk, open_polls};
use traces::signature::{NESTED, Signature};

/// Looks at the file, TEST_LOOKS asks for more; how many of them must find a call or polls, and looks by the command.
const LOOKS: usize = 150;
const FOUND: usize = 30;
const TOLD: usize = 1;
/// Seconds that the program runs, unless it is killed before.
const SECONDS: &str = "400";
const LIMIT: Duration = Duration::from_secs(40);
/// The longest that as many looks take.
const EACH: Duration = Duration::from_millis(30);
/// Sizes of the program's messages.
const SIZES: i32 = 64;

#[test]
fn looks_at_a_program_at_full_speed_find_its_calls_with_their_own_arguments() {
    let wanted = std::env::var("TEST_LOOKS").map_or(LOOKS, |looks| looks.parse().expect("TEST_LOOKS is a number"));
    for mpi in one_at_most(libraries(), "full_speed.c") {
        let running = Running::begin("full-speed", &case("full_speed", &mpi, 2, &[SECONDS]));
        let began = Instant::now();
        while !running.has_begun(2) {
            assert!(began.elapsed() < LIMIT, "{}: the program did not begin", mpi.name);
            sleep(Duration::from_millis(20));
        }
        let (looks, found, records) = look(&running, wanted);
        println!("{}: {looks} looks, {found} in a call, {records} records", mpi.name);
        assert!(looks >= wanted && found >= FOUND && records > 0, "{}: {looks} {found} {records}", mpi.name);
        for _ in 0..TOLD {
            let mut top = Command::new(overhear());
            top.args(["top", "--once"]).arg(&running.run.folder).env("COLUMNS", "200");
            let told = String::from_utf8(top.output().unwrap().stdout).unwrap();
            let calls = ["MPI_Sendrecv", "MPI_Iprobe", "MPI_Wtime"];
            let ranks = told.lines().filter(|line| line.trim_start().starts_with(['0', '1']));
            let mut named = ranks.filter_map(|line| line.split_whitespace().find(|word| word.starts_with("MPI_")));
            assert!(named.all(|call| calls.contains(&call)), "{}: {told}", mpi.name);
        }
    }
}

/// The signatures that the file defines.
#[derive(Default)]
struct Known(BTreeMap<u32, Signature>);

impl Known {
    /// Checks that a number stands for a call that the program makes, with its arguments.
    fn check(&self, number: u32) {
        let Some(signature) = self.0.get(&number) else { panic!("signature {number} is not defined") };
        let Signature { tag, sent, peer, .. } = *signature;
        let is_right = match Call::from_number(signature.call).unwrap() {
            Call::Sendrecv => (0..SIZES).contains(&tag) && sent == tag as u64 && peer == 0,
            Call::Iprobe => (SIZES..2 * SIZES).contains(&tag),
            Call::Init | Call::Comm_rank | Call::Wtime => true,
            _ => signature.flags & NESTED != 0,
        };
        assert!(is_right, "{signature:?}");
    }
}

/// The numbers of the signatures in records.
#[derive(Default)]
struct Records {
    numbers: BTreeSet<u32>,
    count: usize,
}

impl Visitor for Records {
    fn call(&mut self, signature: u32, _: u64, _: u64) {
        self.numbers.insert(signature);
        self.count += 1;
    }

    fn polls(&mut self, polls: &Polls) {
        self.call(polls.signature as u32, polls.start, 0);
    }
}

/// Pages of the first thread that have begun since the last call.
fn begun(follower: &mut Follower) -> impl Iterator<Item = FoundPage> + use<> {
    assert!(follower.refresh(), "{} is gone", follower.file().path().display());
    follower.find().into_iter().filter(|page| page.thread == 0)
}

/// Looks at rank 0's file. Returns how many looks there were, how many found the thread in a call or polls, and the
/// number of records.
fn look(running: &Running, wanted: usize) -> (usize, usize, usize) {
    let until = Instant::now() + LIMIT + EACH * wanted as u32;
    let path = running.run.folder.join("rank-0000.ovh");
    let mut follower = Follower::open(&path).unwrap();
    let (mut pages, mut known, mut place, mut at) = (Vec::new(), Known::default(), Place::default(), 0);
    let (mut looks, mut found, mut records, mut room) = (0, 0, Records::default(), Vec::new());
    while (looks < wanted || found < FOUND) && Instant::now() < until {
        looks += 1;
        pages.extend(begun(&mut follower));
        let of = |kind: PageKind| pages.iter().filter(move |page| page.kind == kind);
        let events: Vec<_> = of(PageKind::Events).collect();
        if let Some(page) = events.get(at).and_then(|page| follower.events(page, &mut room)) {
            let mut walk = if place.seen == 0 { Walk::new(&page) } else { Walk::at(&page, place) };
            walk.step(&mut records, usize::MAX).unwrap();
            place = walk.place();
            if at + 1 < events.len() {
                (at, place) = (at + 1, Place::default());
            }
        }
        let block = of(PageKind::Thread).next().and_then(|page| follower.block(page)).unwrap().copy();
        // A signature may be in a page that began meanwhile, beyond the mapped part.
        pages.extend(begun(&mut follower));
        let signatures = pages.iter().filter(|page| page.kind == PageKind::Signatures);
        let signatures = signatures.flat_map(|page| follower.signatures(page, 0));
        known.0.extend(signatures.map(|signature| (signature.number, *signature)));
        let calls = block.levels.iter().take(block.depth as usize).map(|level| level.signature as u32);
        let polls = open_polls(&block, None).map(|polls| polls.signature as u32);
        found += usize::from(block.depth > 0 || polls.is_some());
        for number in std::mem::take(&mut records.numbers).into_iter().chain(calls).chain(polls) {
            known.check(number);
        }
    }
    (looks, found, records.count)
}
