//! Finds the recorded ranks of one host, by a shared-memory [page](super::page) that is named after the launch.

use std::ffi::CString;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::fd::FromRawFd;
use std::os::unix::fs::MetadataExt;

use agree::Verdict;

use super::page::{self, MeetingPage, ProcessSlot};
use super::process::{ProcessId, began};
use crate::config::Launch;

/// This process's place among the others of its host, before they are counted.
pub struct Arriving {
    place: ProcessSlot,
    file: PageFile,
}

/// This process's place among the others of its host, after they were counted.
pub struct Host {
    place: ProcessSlot,
    file: PageFile,
    /// The recorded ranks of this host, in order.
    pub ranks: Vec<u32>,
}

struct PageFile {
    file: File,
    path: String,
}

impl Arriving {
    /// Takes a place in the page of the launch on this host. `None` if there is no shared memory, or the ranks were
    /// already counted.
    pub fn announce(launch: &Launch) -> Option<Arriving> {
        let name = format!("{:016x}", name(launch));
        let open = |folder: &&'static str| Some((*folder, PageFile::open(folder, &name)?));
        let (folder, (file, page)) = ["/dev/shm", "/tmp"].iter().find_map(open)?;
        let place = page.announce(ProcessId::own())?;
        // Once for each launch.
        if place.is_first_to_announce() {
            sweep(folder);
        }
        Some(Arriving { place, file })
    }

    /// Waits until the ranks of this host are counted. See [`ProcessSlot::counted`].
    pub fn counted(self, rank: u32, size: u32, expected: Option<u32>) -> Option<Host> {
        let Arriving { place, file } = self;
        let ranks = place.counted(rank, size, expected, || file.remove())?;
        Some(Host { place, file, ranks })
    }

    /// Gives the place up: this process will not be counted.
    pub fn withdraw(self) {
        self.place.withdraw(|| self.file.remove());
    }
}

impl Host {
    /// Passes the hosts' verdict on to the other ranks of this host, and returns it.
    pub fn tell(&self, verdict: Verdict) -> Verdict {
        self.place.tell(&self.file.file, verdict.to_string().as_bytes());
        verdict
    }

    /// Waits for the verdict from the first rank of this host.
    pub fn told(&self) -> Verdict {
        let bytes = self.place.told(&self.file.file).unwrap_or_default();
        Verdict::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Closes the file: only the place is needed later, and the program may close any descriptor.
    pub fn into_place(self) -> ProcessSlot {
        self.place
    }
}

impl PageFile {
    /// Opens the page of a name, or a new one if its list is closed.
    fn open(folder: &str, name: &str) -> Option<(PageFile, MeetingPage)> {
        let path = format!("{folder}/{}{name}", beginning());
        let open = || {
            let file = PageFile::at(&path, libc::O_CREAT)?;
            let page = MeetingPage::of(&file.file)?;
            Some((file, page))
        };
        let (file, page) = open()?;
        if !page.is_closed() {
            return Some((file, page));
        }
        // The process that closed the list removes the name, unless it has ended before that.
        file.remove();
        open()
    }

    /// Opens a file of this user, with `more` flags.
    fn at(path: &str, more: i32) -> Option<PageFile> {
        let flags = libc::O_RDWR | libc::O_CLOEXEC | libc::O_NOFOLLOW | more;
        let named = CString::new(path).ok()?;
        // SAFETY: opens a file by a valid name; the descriptor is then the file's alone.
        let file = unsafe {
            match libc::open(named.as_ptr(), flags, 0o600) {
                descriptor if descriptor < 0 => return None,
                descriptor => File::from_raw_fd(descriptor),
            }
        };
        let data = file.metadata().ok()?;
        // Another user could have put something else into the folder.
        (data.is_file() && data.uid() == user()).then(|| PageFile { file, path: path.into() })
    }

    /// Removes the name, if it is still this file's, so that later processes begin a new page.
    fn remove(&self) {
        let is_same = |named: fs::Metadata| self.file.metadata().is_ok_and(|own| own.ino() == named.ino());
        if fs::symlink_metadata(&self.path).is_ok_and(is_same) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn user() -> u32 {
    // SAFETY: the call only returns an id.
    unsafe { libc::geteuid() }
}

/// The begin of the names of this user's pages.
fn beginning() -> String {
    format!("overhear-{}-", user())
}

/// Limit on the names in a folder that are looked at.
const MOST_NAMES: usize = 4096;

/// Removes pages of this user whose processes have all ended: those of a launch that was killed in MPI_Init.
fn sweep(folder: &str) {
    let beginning = beginning();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_NAMES) {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with(&beginning)) else { continue };
        let Some(file) = PageFile::at(&format!("{folder}/{name}"), libc::O_NONBLOCK) else { continue };
        // A file of another length is of another version, or was just made.
        let is_page = file.file.metadata().is_ok_and(|data| data.len() >= page::BYTES as u64);
        let page = if is_page { MeetingPage::of(&file.file) } else { None };
        if page.is_some_and(|page| page.close_if_abandoned()) {
            file.remove();
        }
    }
}

/// Hash of the launch on this host, or else of the process that has started this one.
fn name(launch: &Launch) -> u64 {
    launch_id(launch).unwrap_or_else(|| {
        // SAFETY: the call only returns an id.
        let parent = unsafe { libc::getppid() };
        hash_here((parent, began(parent)))
    })
}

/// Hash of the launch on this host: of the launcher's name for it, else of the process of the launcher that all its ranks
/// here are connected to. `None` if there is neither.
pub fn launch_id(launch: &Launch) -> Option<u64> {
    let starter = || launch.descriptor.and_then(peer);
    match (&launch.server, starter()) {
        (Some(server), _) => Some(hash_here(server)),
        (None, Some(starter)) => Some(hash_here((starter, began(starter)))),
        _ => launch.name.as_ref().map(hash_here),
    }
}

/// Hash of a value and this host's name.
fn hash_here(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    fs::read("/proc/sys/kernel/hostname").unwrap_or_default().hash(&mut hasher);
    value.hash(&mut hasher);
    hasher.finish()
}

/// The process at the other end of a socket, if it is on this host.
fn peer(descriptor: i32) -> Option<i32> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    let to = (&raw mut peer).cast();
    // SAFETY: there is room for the result; if the descriptor is no socket, the call fails.
    let code = unsafe { libc::getsockopt(descriptor, libc::SOL_SOCKET, libc::SO_PEERCRED, to, &raw mut length) };
    (code == 0 && peer.pid > 0).then_some(peer.pid)
}
