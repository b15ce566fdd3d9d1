//! Finds the recorded ranks of several hosts: the first rank of each host posts texts that the others read, and crate
//! `agree` says which.
//!
//! The texts are where every host of the launch can read them: with the launcher, as names published by MPI, or in a
//! folder that hosts share. Each name has one writer and is written once.

use std::ffi::{CStr, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use agree::board::{self, Board};
use agree::{RecordedHost, Verdict};
use traces::calls::Call;

use crate::abi::Family;
use crate::config::Launch;
use crate::real;

/// The verdict that hosts agree on. `ranks` are the recorded ranks of this host, of which this process is the first,
/// `size` is that of the world, `began` the time when MPI was initialized, and `meeting` a folder that hosts may share.
pub fn agree(family: &Family, ranks: &[u32], size: u32, launch: &Launch, began: Instant, meeting: &Path) -> Verdict {
    let Some(host) = RecordedHost::new(ranks, size) else { return Verdict::Unknown };
    let _errors = ReturnedErrors::begin(family);
    let prefix = format!("overhear.{}", launch.name.as_deref().unwrap_or("launch"));
    let launcher = TextStore::Launcher { prefix, info: family.info_null as usize };
    let agreed = |store| agree::blocking(host.agree(&HostBoard { store, began })).flatten();
    if let Some(verdict) = agreed(launcher) {
        return verdict;
    }
    let Some(shared) = folder(launch, meeting) else { return Verdict::Unknown };
    let verdict = agreed(TextStore::Folder(shared.clone())).unwrap_or(Verdict::Unknown);
    if verdict.decider() == ranks.first().copied() {
        *MET_IN.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(shared);
    }
    // A folder in which no other host shows up may not be shared.
    match verdict {
        Verdict::Ranks(listed) if listed.ranks().eq(ranks.iter().copied()) => Verdict::Unknown,
        verdict => verdict,
    }
}

/// The store of texts as the board of crate `agree`, for this host alone.
struct HostBoard {
    store: TextStore,
    began: Instant,
}

impl Board for HostBoard {
    async fn post(&self, name: &str, text: &str) -> bool {
        self.store.post(name, text)
    }

    async fn read(&self, name: &str) -> Option<String> {
        self.store.text(name)
    }

    async fn speakers(&self, decider: u32) -> Option<Vec<u32>> {
        self.store.numbers(&board::here(decider, 0))
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    async fn pause(&self, time: Duration) {
        thread::sleep(time);
    }
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
fn folder(launch: &Launch, meeting: &Path) -> Option<PathBuf> {
    let name: String = launch.name.as_ref()?.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let folder = meeting.join(format!(".overhear-{name}"));
    fs::create_dir_all(&folder).ok().map(|()| folder)
}

/// Bytes that every MPI accepts in a port's name, less the count in front.
const PART: usize = 200;

impl TextStore {
    /// Writes a text in parts, each with the number of parts in front. The first part is written last.
    fn post(&self, name: &str, text: &str) -> bool {
        let parts: Vec<&[u8]> = text.as_bytes().chunks(PART).collect();
        parts.iter().enumerate().rev().all(|(at, part)| {
            let part = String::from_utf8_lossy(part);
            self.write(&format!("{name}.{at}"), &format!("{}:{part}", parts.len()))
        })
    }

    /// The text of a name, if it was written.
    fn text(&self, name: &str) -> Option<String> {
        let part = |at: usize| {
            let text = self.read(&format!("{name}.{at}"))?;
            let (count, part) = text.split_once(':')?;
            Some((count.parse::<usize>().ok()?, part.to_string()))
        };
        let (count, mut text) = part(0)?;
        for at in 1..count {
            text += &part(at)?.1;
        }
        Some(text)
    }

    /// The numbers at the end of all names like this one, in order; `None` if there is no list of names.
    fn numbers(&self, like: &str) -> Option<Vec<u32>> {
        let TextStore::Folder(folder) = self else { return None };
        forget_cached(folder);
        let beginning = like.trim_end_matches(char::is_numeric);
        let number = |name: &str| name.strip_prefix(beginning)?.strip_suffix(".0")?.parse::<u32>().ok();
        let names = fs::read_dir(folder).ok()?.flatten();
        let mut numbers: Vec<u32> = names.filter_map(|entry| number(entry.file_name().to_str()?)).collect();
        numbers.sort_unstable();
        Some(numbers)
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
                let path = folder.join(name);
                fs::read_to_string(&path).ok().or_else(|| {
                    forget_cached(folder);
                    fs::read_to_string(&path).ok()
                })
            }
        }
    }
}

/// Makes this host drop its cache of a folder on a file server, by changing something in the folder.
fn forget_cached(folder: &Path) {
    let touched = folder.join(format!("touched.{}", std::process::id()));
    let _ = fs::write(&touched, "").and_then(|()| fs::remove_file(&touched));
}

/// Makes MPI return errors while it lives: looking up a name that is not published yet is an error.
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
