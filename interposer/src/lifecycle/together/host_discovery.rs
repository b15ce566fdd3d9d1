//! Finds the recorded ranks of several hosts: the first rank of each host writes texts that the others read.
//!
//! The texts are where every host of the launch can read them: with the launcher, as names published by MPI, or in a
//! folder that hosts share. Each name has one writer and is written once. The first rank of each host follows the first
//! of all: rank 0, or if it does not show up, the lowest that does. Only that one decides who is recorded: its own
//! host, and those hosts whose first rank has written that it follows.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use traces::calls::Call;

use super::wait::{self, Liveness, Pause};
use super::{Verdict, in_words};
use crate::abi::Family;
use crate::config::Launch;
use crate::real;

// The ends of four phases, counted from the end of MPI_Init.
/// Others wait for rank 0.
const FIRST: Duration = Duration::from_millis(400);
/// Without rank 0, they look for the lowest rank.
const LOWER: Duration = Duration::from_millis(550);
/// The first of all waits for followers, in the order of ranks.
const FOLLOW: Duration = Duration::from_millis(700);
/// It looks once more for the others.
const OTHERS: Duration = Duration::from_millis(900);

/// The verdict that hosts agree on. `ranks` are the recorded ranks of this host, of which this process is the first,
/// `size` is that of the world, `began` the time when MPI was initialized, and `meeting` a folder that hosts may share.
pub fn agree(family: &Family, ranks: &[u32], size: u32, launch: &Launch, began: Instant, meeting: &Path) -> Verdict {
    let Some(own) = ranks.first().copied() else { return Verdict::Unknown };
    let _errors = ReturnedErrors::begin(family);
    let prefix = format!("overhear.{}", launch.name.as_deref().unwrap_or("launch"));
    let launcher = TextStore::Launcher { prefix, info: family.info_null as usize };
    let can_post = |board: &Board| board.post(&format!("host.{own}"), "here");
    let shared = || folder(launch, meeting).map(Board).filter(can_post);
    let Some(board) = Some(Board(launcher)).filter(can_post).or_else(shared) else { return Verdict::Unknown };
    match rank_to_follow(&board, own, began) {
        None => {
            board.post(&format!("follows.{own}"), "nobody");
            Verdict::Unknown
        }
        Some(first) if first == own => {
            board.0.remove_at_end();
            decide(&board, own, ranks, size, began)
        }
        Some(first) => match board.post(&format!("follows.{own}"), &format!("{first}:{}", in_words(ranks))) {
            true => follow(&board, first),
            false => Verdict::Unknown,
        },
    }
}

/// The lowest rank that shows up, which may be this one. `None` if there was no time to look for all lower ranks.
fn rank_to_follow(board: &Board, own: u32, began: Instant) -> Option<u32> {
    let mut pause = Pause::new();
    while own > 0 && board.read("host.0").is_none() {
        if began.elapsed() > FIRST {
            return lowest_from_1(board, own, began);
        }
        pause.take();
    }
    Some(0)
}

fn lowest_from_1(board: &Board, own: u32, began: Instant) -> Option<u32> {
    for lower in 1..own {
        if began.elapsed() > LOWER {
            return None;
        }
        if board.read(&format!("host.{lower}")).is_some() {
            return Some(lower);
        }
    }
    Some(own)
}

/// Waits for followers, and posts the list of recorded ranks.
fn decide(board: &Board, own: u32, ranks: &[u32], size: u32, began: Instant) -> Verdict {
    let mut together: BTreeSet<u32> = ranks.iter().copied().collect();
    let mut unknown: BTreeSet<u32> = (0..size).filter(|rank| !together.contains(rank)).collect();
    let mut ask = |rank: u32, unknown: &mut BTreeSet<u32>| {
        let Some(text) = board.read(&format!("follows.{rank}")) else { return false };
        unknown.remove(&rank);
        for rank in text.strip_prefix(&format!("{own}:")).map(ranks_of).unwrap_or_default() {
            unknown.remove(&rank);
            together.insert(rank);
        }
        true
    };
    // The lowest rank of which nothing is known is the first of its host, if it is recorded.
    let mut pause = Pause::new();
    while let Some(rank) = unknown.first().copied().filter(|_| began.elapsed() < FOLLOW) {
        match ask(rank, &mut unknown) {
            true => pause = Pause::new(),
            false => pause.take(),
        }
    }
    let mut next = unknown.first().copied();
    while let Some(rank) = next.filter(|_| began.elapsed() < OTHERS) {
        ask(rank, &mut unknown);
        next = unknown.range(rank + 1..).next().copied();
    }
    let verdict = match together.len() as u32 == size {
        true => Verdict::All,
        false => Verdict::Ranks(together.into_iter().collect()),
    };
    let text = match &verdict {
        Verdict::Ranks(ranks) => in_words(ranks),
        _ => "all".into(),
    };
    // Followers may have given up by now.
    if began.elapsed() > wait::LONGEST / 2 {
        board.post(&format!("follows.{own}"), "nobody");
        return Verdict::Unknown;
    }
    let said = board.post(&format!("recorded.{own}"), &text);
    // A folder in which no other host shows up may not be shared.
    let is_met = matches!(board.0, TextStore::Launcher { .. }) || verdict != Verdict::Ranks(ranks.into());
    if said && is_met { verdict } else { Verdict::Unknown }
}

/// Waits for the decision of the first of all, which it posts unless it follows another itself, or ends.
fn follow(board: &Board, first: u32) -> Verdict {
    let mut pause = Pause::new();
    let decided = || {
        if let Some(text) = board.read(&format!("recorded.{first}")) {
            return Some(if text == "all" { Verdict::All } else { Verdict::Ranks(ranks_of(&text)) });
        }
        board.read(&format!("follows.{first}")).map(|_| Verdict::Unknown)
    };
    wait::until(decided, || Liveness::Unknown, || pause.take()).unwrap_or(Verdict::Unknown)
}

/// The inverse of [`in_words`].
fn ranks_of(text: &str) -> Vec<u32> {
    let span = |span: &str| {
        let (first, last) = span.split_once('-').unwrap_or((span, span));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    text.split(',').filter_map(span).flatten().collect()
}

/// A store of short texts by name.
enum TextStore {
    /// The launcher, by MPI_Publish_name.
    Launcher {
        /// Prefix of all names.
        prefix: String,
        /// MPI_INFO_NULL.
        info: usize,
    },
    /// Files in a folder.
    Folder(PathBuf),
}

/// The folder in which hosts have met, if this process has to remove it.
static MET_IN: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes the folder in which hosts have met. MPI is about to be finalized, so all have read it.
pub fn leave() {
    let folder = MET_IN.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    if let Some(folder) = folder {
        let _ = fs::remove_dir_all(folder);
    }
}

/// The folder in which hosts meet; `None` if the launch has no name or the folder cannot be made.
fn folder(launch: &Launch, meeting: &Path) -> Option<TextStore> {
    let name: String = launch.name.as_ref()?.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let folder = meeting.join(format!(".overhear-{name}"));
    fs::create_dir_all(&folder).ok().map(|()| TextStore::Folder(folder))
}

/// A store of texts of any length.
struct Board(TextStore);

impl Board {
    /// Bytes that every MPI accepts in a port's name, less the count in front.
    const PART: usize = 200;

    /// Writes a text in parts, each with the number of parts in front. The first part is written last.
    fn post(&self, name: &str, text: &str) -> bool {
        let parts: Vec<&[u8]> = text.as_bytes().chunks(Board::PART).collect();
        parts.iter().enumerate().rev().all(|(at, part)| {
            let part = String::from_utf8_lossy(part);
            self.0.write(&format!("{name}.{at}"), &format!("{}:{part}", parts.len()))
        })
    }

    /// The text of a name, if it was written.
    fn read(&self, name: &str) -> Option<String> {
        let part = |at: usize| {
            let text = self.0.read(&format!("{name}.{at}"))?;
            let (count, part) = text.split_once(':')?;
            Some((count.parse::<usize>().ok()?, part.to_string()))
        };
        let (count, mut text) = part(0)?;
        for at in 1..count {
            text += &part(at)?.1;
        }
        Some(text)
    }
}

impl TextStore {
    fn remove_at_end(&self) {
        if let TextStore::Folder(folder) = self {
            *MET_IN.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(folder.clone());
        }
    }

    fn write(&self, name: &str, text: &str) -> bool {
        match self {
            TextStore::Launcher { prefix, info } => {
                let (name, text) = (format!("{prefix}.{name}\0"), format!("{text}\0"));
                let (name, text) = (name.as_ptr() as usize, text.as_ptr() as usize);
                // SAFETY: MPI is initialized, and reads two terminated strings.
                unsafe { real::invoke(Call::Publish_name, [name, *info, text]) == 0 }
            }
            TextStore::Folder(folder) => {
                let new = folder.join(format!("{name}.new"));
                fs::write(&new, text).and_then(|()| fs::rename(&new, folder.join(name))).is_ok()
            }
        }
    }

    fn read(&self, name: &str) -> Option<String> {
        match self {
            TextStore::Launcher { prefix, info } => {
                let name = format!("{prefix}.{name}\0");
                // MPI_MAX_PORT_NAME is lower in every MPI.
                let mut text = vec![0u8; 4096];
                let (name, to) = (name.as_ptr() as usize, text.as_mut_ptr() as usize);
                // SAFETY: as above, and there is room for the name of any port.
                let found = unsafe { real::invoke(Call::Lookup_name, [name, *info, to]) == 0 };
                let text = CStr::from_bytes_until_nul(&text).ok().filter(|_| found)?;
                Some(text.to_string_lossy().into_owned())
            }
            TextStore::Folder(folder) => {
                // A host forgets what it has cached of a folder on a file server once it changes something in it.
                let touched = folder.join(format!("touched.{}", std::process::id()));
                let _ = fs::write(&touched, "").and_then(|()| fs::remove_file(&touched));
                fs::read_to_string(folder.join(name)).ok()
            }
        }
    }
}

/// Has MPI return errors as long as it lives: to look up a name that is not published yet is an error.
struct ReturnedErrors {
    handler: u64,
    /// The two communicators with their original handlers.
    before: [(u64, u64); 2],
}

/// The error handler. It does nothing, and MPI then returns the error.
extern "C" fn ignore_error(_communicator: *mut c_void, _error: *mut c_int) {}

impl ReturnedErrors {
    fn begin(family: &Family) -> ReturnedErrors {
        let mut handler = 0u64;
        // Intel's library of the standard ABI aborts with MPI_ERRORS_RETURN, too, so the handler is our own.
        // SAFETY: MPI is initialized; a handle of 4 or 8 bytes is written into zeros.
        unsafe {
            real::invoke(Call::Comm_create_errhandler, [ignore_error as *const () as usize, &raw mut handler as usize])
        };
        // MPI libraries disagree on which of the two handles errors that concern no communicator.
        let before = [family.comm_world, family.comm_self].map(|communicator| {
            let mut before = 0u64;
            // SAFETY: as above, and the handler was just made.
            unsafe {
                real::invoke(Call::Comm_get_errhandler, [communicator as usize, &raw mut before as usize]);
                real::invoke(Call::Comm_set_errhandler, [communicator as usize, handler as usize]);
            }
            (communicator, before)
        });
        ReturnedErrors { handler, before }
    }
}

impl Drop for ReturnedErrors {
    fn drop(&mut self) {
        for (communicator, before) in self.before {
            // SAFETY: the handler is the communicator's original one.
            unsafe { real::invoke(Call::Comm_set_errhandler, [communicator as usize, before as usize]) };
        }
        // SAFETY: no communicator has the handler any more.
        unsafe { real::invoke(Call::Errhandler_free, [&raw mut self.handler as usize]) };
    }
}
