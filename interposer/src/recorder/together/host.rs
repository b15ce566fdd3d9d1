//! The recorded ranks of one host, counted in a page of shared memory that bears the launch's name.
//!
//! Each takes a slot before MPI is initialised and puts its rank there afterwards; initialising MPI is what most libraries
//! synchronise by. One rank, the first to see that all are there or that those still missing are late, closes the list: a slot
//! without a rank stays without.

use std::ffi::CString;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use std::time::{Duration, Instant};
use std::{fs, thread};

use super::Verdict;
use crate::config::Launch;

/// How long a rank is waited for that has not announced itself: as a rule it is not recorded.
const PATIENCE: Duration = Duration::from_millis(250);
/// How long one is waited for that has: it is on its way out of MPI_Init, on a busy machine perhaps.
const ANNOUNCED: Duration = Duration::from_secs(10);

const BYTES: usize = 16 << 10;
const SLOTS: usize = (BYTES - 64) / 8;

/// What is shared.
#[repr(C, align(64))]
struct Page {
    /// [`OPEN`], [`CLOSING`] or [`CLOSED`].
    state: AtomicU32,
    /// How many have asked for a slot.
    taken: AtomicU32,
    /// Bytes of the verdict behind the page, and one; 0 until it is there.
    verdict: AtomicU64,
    padding: [u64; 6],
    slots: [AtomicU64; SLOTS],
}

const OPEN: u32 = 0;
const CLOSING: u32 = 1;
const CLOSED: u32 = 2;

/// A slot: whose it is, then the process in 30 bits, then its rank in 32.
const ANNOUNCED_BY: u64 = 1;
const HERE: u64 = 2;
const OUT: u64 = 3;

fn kind(slot: u64) -> u64 {
    slot & 3
}

/// The page, mapped.
pub struct Host {
    page: NonNull<Page>,
    file: File,
    path: String,
}

// SAFETY: the page is shared between processes, and all of it is atomic.
unsafe impl Send for Host {}

/// A process's slot.
pub struct Place {
    host: Host,
    slot: usize,
}

impl Host {
    /// The page of a launch on this host. `None` where there is no shared memory.
    pub fn open(launch: &Launch) -> Option<Host> {
        ["/dev/shm", "/tmp"].iter().find_map(|folder| Host::open_in(folder, launch))
    }

    fn open_in(folder: &str, launch: &Launch) -> Option<Host> {
        // SAFETY: asks the system.
        let user = unsafe { libc::geteuid() };
        let path = format!("{folder}/overhear-{user}-{:016x}", name(launch));
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_CLOEXEC | libc::O_NOFOLLOW;
        let named = CString::new(path.as_str()).ok()?;
        // SAFETY: opens a file by a valid name; the descriptor is then the file's alone.
        let file = unsafe {
            match libc::open(named.as_ptr(), flags, 0o600) {
                descriptor if descriptor < 0 => return None,
                descriptor => File::from_raw_fd(descriptor),
            }
        };
        let data = file.metadata().ok()?;
        // Whoever may write to the folder could have put something else there.
        if !data.is_file() || data.uid() != user {
            return None;
        }
        // Memory that is not there would be SIGBUS.
        // SAFETY: makes the file as long as the page; what is in it stays.
        if unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, BYTES as i64) } != 0 {
            return None;
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: maps a file of this length.
        let page =
            unsafe { libc::mmap(std::ptr::null_mut(), BYTES, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        let page = NonNull::new(page).filter(|page| page.as_ptr() != libc::MAP_FAILED)?;
        Some(Host { page: page.cast(), file, path })
    }

    fn page(&self) -> &Page {
        // SAFETY: it is mapped as long as this lives, and zeros are valid.
        unsafe { self.page.as_ref() }
    }

    /// Takes a slot. `None` where there is none, or the list is closed.
    pub fn announce(self) -> Option<Place> {
        let slot = self.page().taken.fetch_add(1, AcqRel) as usize;
        let own = ANNOUNCED_BY | (std::process::id() as u64) << 2;
        self.page().slots.get(slot)?.compare_exchange(0, own, AcqRel, Relaxed).ok()?;
        Some(Place { host: self, slot })
    }

    /// Those on the list, in order.
    pub fn ranks(&self) -> Vec<u32> {
        let slots = self.page().slots.iter().map(|slot| slot.load(Acquire));
        let mut ranks: Vec<u32> = slots.filter(|slot| kind(*slot) == HERE).map(|slot| (slot >> 32) as u32).collect();
        ranks.sort_unstable();
        ranks
    }

    /// Closes the list, where that is left to do, and takes the page's name away: who comes later is not on it.
    fn close(&self) {
        let page = self.page();
        if page.state.compare_exchange(OPEN, CLOSING, AcqRel, Acquire).is_err() {
            return;
        }
        for slot in &page.slots {
            let shut = |word| (kind(word) != HERE).then_some(OUT);
            let _ = slot.fetch_update(AcqRel, Acquire, shut);
        }
        let _ = fs::remove_file(&self.path);
        page.state.store(CLOSED, Release);
    }

    /// Gives the others of the host what hosts have agreed on.
    pub fn tell(&self, verdict: Verdict) -> Verdict {
        let bytes: Vec<u8> = match &verdict {
            Verdict::Ranks(ranks) => ranks.iter().flat_map(|rank| rank.to_le_bytes()).collect(),
            Verdict::All => vec![1],
            Verdict::Unknown => Vec::new(),
        };
        let written = self.file.write_all_at(&bytes, BYTES as u64);
        let length = if written.is_ok() { bytes.len() as u64 } else { 0 };
        self.page().verdict.store(length + 1, Release);
        verdict
    }

    /// What the first of the host tells.
    pub fn told(&self) -> Verdict {
        let mut pause = Pause::new();
        let length = loop {
            match self.page().verdict.load(Acquire) {
                0 => pause.take(),
                length => break length as usize - 1,
            }
        };
        let mut bytes = vec![0; length];
        match self.file.read_exact_at(&mut bytes, BYTES as u64) {
            Ok(()) if length == 1 => Verdict::All,
            Ok(()) if length > 1 => {
                let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                Verdict::Ranks(words.collect())
            }
            _ => Verdict::Unknown,
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: nobody has a reference into it.
        unsafe { libc::munmap(self.page.as_ptr().cast(), BYTES) };
    }
}

impl Place {
    /// Waits until the ranks of this host are counted: `expected` of them, if the launcher says how many, or all of the world's
    /// `size`. `None` where this one came too late.
    pub fn counted(self, rank: u32, size: u32, expected: Option<u32>) -> Option<Host> {
        let Place { host, slot } = self;
        let page = host.page();
        let own = HERE | (std::process::id() as u64) << 2 | (rank as u64) << 32;
        let is_here = page.slots[slot].fetch_update(AcqRel, Acquire, |word| (kind(word) != OUT).then_some(own)).is_ok();
        let (began, mut pause) = (Instant::now(), Pause::new());
        while page.state.load(Acquire) != CLOSED {
            let (here, on_their_way) = count(page, began.elapsed() > PATIENCE);
            let late = began.elapsed() > if on_their_way { ANNOUNCED } else { PATIENCE };
            let enough = here >= size || !on_their_way && expected.is_some_and(|expected| here >= expected);
            if late || enough {
                host.close();
            } else {
                pause.take();
            }
        }
        let ranks = host.ranks();
        // Where launches were taken for one, ranks come twice.
        let are_of_one =
            ranks.windows(2).all(|pair| pair[0] < pair[1]) && ranks.last().is_some_and(|last| *last < size);
        (is_here && are_of_one).then_some(host)
    }

    /// The process will not come, after all.
    pub fn withdraw(self) {
        let page = self.host.page();
        page.slots[self.slot].store(OUT, Release);
        if !count(page, true).1 {
            self.host.close();
        }
    }
}

/// How many ranks are here, and whether others have announced themselves; those that have ended meanwhile are left out where
/// that is asked for.
fn count(page: &Page, ask: bool) -> (u32, bool) {
    let (mut here, mut on_their_way) = (0, false);
    for slot in page.slots.iter().take(page.taken.load(Acquire) as usize) {
        let word = slot.load(Acquire);
        here += u32::from(kind(word) == HERE);
        // SAFETY: asks whether the process exists.
        let lives = || unsafe { libc::kill((word >> 2 & 0x3fff_ffff) as i32, 0) } == 0;
        on_their_way |= kind(word) == ANNOUNCED_BY && (!ask || lives());
    }
    (here, on_their_way)
}

/// Stands for the launch on this host: what the launcher has named it, else the process that has started all its ranks here.
fn name(launch: &Launch) -> u64 {
    let mut hasher = DefaultHasher::new();
    fs::read("/proc/sys/kernel/hostname").unwrap_or_default().hash(&mut hasher);
    let starter = || launch.descriptor.and_then(peer);
    match (&launch.server, starter()) {
        (Some(server), _) => server.hash(&mut hasher),
        (None, Some(starter)) => (starter, began(starter)).hash(&mut hasher),
        _ => match &launch.name {
            Some(name) => name.hash(&mut hasher),
            None => {
                // SAFETY: asks the system.
                let parent = unsafe { libc::getppid() };
                (parent, began(parent)).hash(&mut hasher);
            }
        },
    }
    hasher.finish()
}

/// The process at the other end of a socket, if it is on this host.
fn peer(descriptor: i32) -> Option<i32> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    let to = (&raw mut peer).cast();
    // SAFETY: there is room for what is asked for, also where the descriptor is no socket.
    let code = unsafe { libc::getsockopt(descriptor, libc::SOL_SOCKET, libc::SO_PEERCRED, to, &raw mut length) };
    (code == 0 && peer.pid > 0).then_some(peer.pid)
}

/// When a process began, by the system's count: other processes have its number later.
fn began(process: i32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name, in parentheses, may have spaces.
    stat.rsplit_once(')')?.1.split(' ').nth(20).map(String::from)
}

/// Shorter waits first.
pub struct Pause(Duration);

impl Pause {
    const LONGEST: Duration = Duration::from_millis(20);

    /// The first is the shortest.
    pub fn new() -> Pause {
        Pause(Duration::from_micros(20))
    }

    /// Waits.
    pub fn take(&mut self) {
        thread::sleep(self.0);
        self.0 = (self.0 * 3 / 2).min(Pause::LONGEST);
    }
}
