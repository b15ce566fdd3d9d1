//! The memory of an analysis does not grow with the run: it holds what is under way between ranks. Threads with nothing to do do not work.

#[path = "../benches/common/mod.rs"]
mod counted;

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use model::Run;
use model::matching::scenario::Scenario;
use model::matching::{Account, Follow, settled};
use model::what_if::{NEEDS, lengths};
use rustix::time::{ClockId, clock_gettime};
use synthetic::{Cluster, Shape, Topology};
use traces::calls::Call;
use traces::file::{FINALIZED, FileHeader, INITIALIZED};
use traces::folder::file_name;
use traces::record;
use traces::signature::Signature;
use traces::write::{FileWriter, blank_block, blank_header};

/// Other processes may keep one of the workers from its core: ranks run apart then, and more is under way between them.
const ATTEMPTS: usize = 3;

/// Memory and processor time are the process's, so each test is alone.
static ALONE: Mutex<()> = Mutex::new(());

/// An empty folder of this process.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("overhear-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The account of a run, and the most bytes that matching took at a time.
fn matched(run: &Run, follow: Follow) -> (Account, usize) {
    counted::forget_peak();
    let before = counted::peak();
    let account = settled(run, follow).account;
    (account, counted::peak() - before)
}

#[test]
fn the_ideal_run_is_replayed_in_less_than_eight_bytes_a_call_since_each_is_forgotten() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = folder("memory");
    let shape = Shape { ranks: 8, calls: 160_000, topology: Topology::Torus, seed: 1 };
    let calls = synthetic::run(&folder, &shape).unwrap().total.calls as usize;
    let run = Run::load(&folder).unwrap();
    let (_, plain) = matched(&run, Follow::empty());
    let mut most = usize::MAX;
    for _ in 0..ATTEMPTS {
        let (account, bytes) = matched(&run, Follow::DEPENDENCIES);
        assert_eq!(account.phases.len(), 8);
        most = most.min(bytes);
        if most < plain + 8 * calls {
            break;
        }
    }
    assert!(most < plain + 8 * calls, "{most} bytes for {calls} calls, of which matching alone takes {plain}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_changed_run_is_replayed_in_less_than_eight_bytes_a_call_from_what_its_calls_depend_on() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = folder("replayed");
    let shape = Shape { ranks: 8, calls: 160_000, topology: Topology::Torus, seed: 1 };
    let calls = synthetic::run(&folder, &shape).unwrap().total.calls as usize;
    let run = Run::load(&folder).unwrap();
    let settled = settled(&run, NEEDS);
    let mut most = usize::MAX;
    for _ in 0..ATTEMPTS {
        counted::forget_peak();
        let before = counted::peak();
        let replayed = lengths(&run, &settled, &[Scenario::recorded()]);
        assert!(replayed.length(0).abs_diff(replayed.recorded()) < replayed.recorded() as u64 / 100);
        most = most.min(counted::peak() - before);
        if most < 8 * calls {
            break;
        }
    }
    assert!(most < 8 * calls, "{most} bytes for {calls} calls");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_rank_of_counts_and_times_takes_less_memory_than_its_file_is_long() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = folder("counted");
    let shape = Shape { ranks: 512, calls: 200, topology: Topology::Torus, seed: 1 };
    synthetic::run_on_cluster(&folder, &shape, Cluster { ranks_per_host: 64, is_profile: true }).unwrap();
    counted::forget_peak();
    let before = counted::peak();
    let run = Run::load(&folder).unwrap();
    let (most, files) = (counted::peak() - before, run.ranks.iter().map(|rank| rank.bytes).sum::<u64>());
    assert!((most as u64) < files, "{most} bytes of memory, {files} of files");
    assert!(run.ranks.iter().all(|rank| rank.contents().threads.is_empty()));
    fs::remove_dir_all(&folder).unwrap();
}

/// The file of one of two ranks that calls MPI_Send `calls` times.
fn file(rank: u32, calls: usize) -> Vec<u8> {
    let header = FileHeader { rank, size: 2, run: [1; 16], state: INITIALIZED | FINALIZED, ..blank_header() };
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file.signatures(0, 0, &[Signature { number: 1, call: Call::Send.number(), ..Signature::EMPTY }]).unwrap();
    let words = vec![record::short(1, 50, 50).unwrap(); calls];
    for (sequence, page) in (0..).zip(words.chunks(30_000)) {
        // Each call ends 100 ticks after the one before.
        file.events(0, sequence, 100 * 30_000 * u64::from(sequence), page).unwrap();
    }
    file.into_inner()
}

#[test]
fn while_one_rank_alone_has_calls_left_one_thread_alone_works() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = folder("idle");
    for (rank, calls) in [(0, 1_000_000), (1, 1)] {
        fs::write(folder.join(file_name(0, rank)), file(rank, calls)).unwrap();
    }
    let run = Run::load(&folder).unwrap();
    let worked = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let (began, before) = (Instant::now(), worked());
    settled(&run, Follow::empty());
    let (wall, worked) = (began.elapsed().as_secs_f64(), worked() - before);
    assert!(wall > 0.01, "{wall} s");
    assert!(worked < 1.5 * wall, "{worked} s of processor time in {wall} s");
    fs::remove_dir_all(&folder).unwrap();
}
