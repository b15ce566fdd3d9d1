//! The recorded ranks of several hosts, by what the first of each host writes for the others to read.
//!
//! It is written to where every host of the launch can read: to the launcher, as a name published by MPI, or to a folder that
//! hosts share. Each name has one writer and is written once. The first of each host follows the first of all: rank 0, or where
//! that does not show up, the lowest that does. Only that one decides, on those who have said that they follow it.

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

/// Until when, counted from the end of MPI_Init, rank 0 is waited for; then, a lower rank is looked for; then, ranks are waited for
/// in order; then, the others are looked for once more.
const FIRST: Duration = Duration::from_millis(400);
const LOWER: Duration = Duration::from_millis(550);
const FOLLOW: Duration = Duration::from_millis(700);
const OTHERS: Duration = Duration::from_millis(900);

/// What hosts agree on. `ranks` are this host's, of which this process is the first, `size` those of the world; `began` is when
/// MPI was initialized, and `meeting` a folder that hosts may share.
pub fn agree(family: &Family, ranks: &[u32], size: u32, launch: &Launch, began: Instant, meeting: &Path) -> Verdict {
    let Some(own) = ranks.first().copied() else { return Verdict::Unknown };
    let _errors = Errors::returned(family);
    let prefix = format!("overhear.{}", launch.name.as_deref().unwrap_or("launch"));
    let launcher = TextStore::Launcher { prefix, info: family.info_null as usize };
    let can_post = |board: &Board| board.post(&format!("host.{own}"), "here");
    let shared = || folder(launch, meeting).map(Board).filter(can_post);
    let Some(board) = Some(Board(launcher)).filter(can_post).or_else(shared) else { return Verdict::Unknown };
    match first(&board, own, began) {
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

/// Whom this one follows: itself, or the lowest rank that shows up. `None` where it could not look for all.
fn first(board: &Board, own: u32, began: Instant) -> Option<u32> {
    let mut pause = Pause::new();
    while own > 0 && board.read("host.0").is_none() {
        if began.elapsed() > FIRST {
            return lower(board, own, began);
        }
        pause.take();
    }
    Some(0)
}

fn lower(board: &Board, own: u32, began: Instant) -> Option<u32> {
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

/// Waits for those who follow, and says who they are.
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
    // The first rank of which nothing is known is the first of its host, if it is recorded.
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
    // Those who follow may have given up by now.
    if began.elapsed() > wait::LONGEST / 2 {
        board.post(&format!("follows.{own}"), "nobody");
        return Verdict::Unknown;
    }
    let said = board.post(&format!("recorded.{own}"), &text);
    // A folder in which nobody else turns up may be one that hosts do not share.
    let is_met = matches!(board.0, TextStore::Launcher { .. }) || verdict != Verdict::Ranks(ranks.into());
    if said && is_met { verdict } else { Verdict::Unknown }
}

/// Waits for the first of all to decide. It does, unless it follows another itself, or ends.
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

/// Back from [`in_words`].
fn ranks_of(text: &str) -> Vec<u32> {
    let span = |span: &str| {
        let (first, last) = span.split_once('-').unwrap_or((span, span));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    text.split(',').filter_map(span).flatten().collect()
}

/// Where texts are written, and read by their names.
enum TextStore {
    /// The launcher, by MPI_Publish_name.
    Launcher {
        /// What names begin with.
        prefix: String,
        /// MPI_INFO_NULL.
        info: usize,
    },
    /// A folder, in files.
    Folder(PathBuf),
}

/// The folder in which hosts have met.
static MET_IN: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Takes the folder away in which hosts have met: MPI is about to be finalized, so all have read what they needed.
pub fn leave() {
    let folder = MET_IN.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    folder.into_iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
}

/// The folder in which hosts meet, if there can be one.
fn folder(launch: &Launch, meeting: &Path) -> Option<TextStore> {
    let name: String = launch.name.as_ref()?.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let folder = meeting.join(format!(".overhear-{name}"));
    fs::create_dir_all(&folder).ok().map(|()| TextStore::Folder(folder))
}

/// Texts of any length.
struct Board(TextStore);

impl Board {
    /// As much as every MPI takes for a port's name, less a number before it.
    const PART: usize = 200;

    /// Writes a text in parts, of which each says how many there are. The first comes last.
    fn post(&self, name: &str, text: &str) -> bool {
        let parts: Vec<&[u8]> = text.as_bytes().chunks(Board::PART).collect();
        parts.iter().enumerate().rev().all(|(at, part)| {
            let part = String::from_utf8_lossy(part);
            self.0.write(&format!("{name}.{at}"), &format!("{}:{part}", parts.len()))
        })
    }

    /// What was written, if it was.
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
                // No MPI has names of ports that are longer.
                let mut text = vec![0u8; 4096];
                let (name, to) = (name.as_ptr() as usize, text.as_mut_ptr() as usize);
                // SAFETY: as above, and there is room for the name of any port.
                let found = unsafe { real::invoke(Call::Lookup_name, [name, *info, to]) == 0 };
                let text = CStr::from_bytes_until_nul(&text).ok().filter(|_| found)?;
                Some(text.to_string_lossy().into_owned())
            }
            TextStore::Folder(folder) => {
                // What a host knows of a folder on a server is asked for anew once the host has changed something there.
                let touched = folder.join(format!("touched.{}", std::process::id()));
                let _ = fs::write(&touched, "").and_then(|()| fs::remove_file(&touched));
                fs::read_to_string(folder.join(name)).ok()
            }
        }
    }
}

/// MPI returns errors as long as this lives: a name that nobody has published is one.
struct Errors {
    handler: u64,
    /// Communicators with the handlers they had.
    before: [(u64, u64); 2],
}

/// What MPI calls with a communicator, an error and more. It leaves both alone, and MPI returns the error.
extern "C" fn returned(_communicator: *mut c_void, _error: *mut c_int) {}

impl Errors {
    fn returned(family: &Family) -> Errors {
        let mut handler = 0u64;
        // Intel's library of the standard ABI aborts with MPI_ERRORS_RETURN, too, so the handler is our own.
        // SAFETY: MPI is initialized; a handle of 4 or 8 bytes is written into zeros.
        unsafe {
            real::invoke(Call::Comm_create_errhandler, [returned as *const () as usize, &raw mut handler as usize])
        };
        // Libraries disagree on which of the two has the handler of errors that concern no communicator.
        let before = [family.comm_world, family.comm_self].map(|communicator| {
            let mut before = 0u64;
            // SAFETY: as above, and the handler was just made.
            unsafe {
                real::invoke(Call::Comm_get_errhandler, [communicator as usize, &raw mut before as usize]);
                real::invoke(Call::Comm_set_errhandler, [communicator as usize, handler as usize]);
            }
            (communicator, before)
        });
        Errors { handler, before }
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        for (communicator, before) in self.before {
            // SAFETY: the handler is the one it had.
            unsafe { real::invoke(Call::Comm_set_errhandler, [communicator as usize, before as usize]) };
        }
        // SAFETY: nothing has it any more.
        unsafe { real::invoke(Call::Errhandler_free, [&raw mut self.handler as usize]) };
    }
}
