//! Where a run goes: a folder that all its ranks agree on, and that no other run has used.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use traces::calls::Call;
use traces::file::NO_RANK;

use super::modules;
use crate::abi::Family;
use crate::config::Config;
use crate::real;

/// What the ranks agree on when MPI is initialised.
pub struct Agreed {
    /// The run's identity.
    pub run: [u8; 16],
    /// Its folder.
    pub folder: PathBuf,
    /// 0, or which of the spawned worlds this is.
    pub world: u32,
}

/// How often a name that is taken is tried with the next number.
const TRIES: u32 = 10_000;

/// Where the file goes until MPI says which rank this is: into the run's folder where that is known to be fresh, else
/// beside where it will be.
pub fn provisional(config: &Config) -> Result<PathBuf, String> {
    let wanted = wanted(config)?;
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = format!("starting-{}-{}.ovh", host.trim(), std::process::id());
    match config.run {
        Some(_) => Ok(wanted.join(name)),
        None => Ok(parent_of(&wanted).join(format!(".overhear-{name}"))),
    }
}

/// The folder a path is in.
pub fn parent_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// The folder the user wants, or one named after program and time.
fn wanted(config: &Config) -> Result<PathBuf, String> {
    let directory = match &config.directory {
        Some(directory) => directory.clone(),
        None => {
            let program = modules::executable();
            let program = Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
            PathBuf::from(format!("overhear-{program}-{}", now()))
        }
    };
    std::path::absolute(&directory).map_err(|error| format!("{}: {error}", directory.display()))
}

/// Local date and time, as file names have it.
fn now() -> String {
    let mut text = [0u8; 32];
    // SAFETY: all are out parameters of the right type, and the buffer is as long as it says.
    let length = unsafe {
        let time = libc::time(std::ptr::null_mut());
        let mut parts: libc::tm = std::mem::zeroed();
        libc::localtime_r(&time, &mut parts);
        libc::strftime(text.as_mut_ptr().cast(), text.len(), c"%Y%m%d-%H%M%S".as_ptr(), &parts)
    };
    String::from_utf8_lossy(&text[..length]).into_owned()
}

/// Rank 0 finds a folder and tells the others. Without a world everyone decides alone, by what the launcher gave all.
pub fn agree(config: &Config, family: &Family, rank: u32, world: bool) -> Agreed {
    let mut message = Message { run: [0; 16], world: 0, length: 0, folder: [0; 4096] };
    if rank == 0 || !world {
        message.set(&decide(config, family, world));
    }
    if world {
        let (count, address) = (size_of::<Message>(), &raw mut message as usize);
        // SAFETY: every process of the world is in MPI_Init, and does this.
        unsafe { real::invoke(Call::Bcast, [address, count, family.byte as usize, 0, family.comm_world as usize]) };
    }
    message.get()
}

#[repr(C)]
struct Message {
    run: [u8; 16],
    world: u32,
    length: u32,
    folder: [u8; 4096],
}

impl Message {
    fn set(&mut self, agreed: &Agreed) {
        use std::os::unix::ffi::OsStrExt;
        let folder = agreed.folder.as_os_str().as_bytes();
        let length = folder.len().min(self.folder.len());
        self.folder[..length].copy_from_slice(&folder[..length]);
        (self.run, self.world, self.length) = (agreed.run, agreed.world, length as u32);
    }

    fn get(&self) -> Agreed {
        use std::os::unix::ffi::OsStrExt;
        let folder = &self.folder[..(self.length as usize).min(self.folder.len())];
        let folder = PathBuf::from(std::ffi::OsStr::from_bytes(folder));
        Agreed { run: self.run, folder, world: self.world }
    }
}

fn decide(config: &Config, family: &Family, world: bool) -> Agreed {
    let wanted = wanted(config).unwrap_or_else(|_| PathBuf::from("overhear"));
    if let Some(run) = config.run {
        if !taken(&wanted, 0) || !world {
            return Agreed { run, folder: wanted, world: 0 };
        }
        if spawned(family) {
            let world = (1..TRIES).find(|world| !taken(&wanted, *world)).unwrap_or(TRIES);
            return Agreed { run, folder: wanted, world };
        }
    }
    Agreed { run: random(), folder: fresh(&wanted), world: 0 }
}

/// Whether a world of this number has written into the folder.
fn taken(folder: &Path, world: u32) -> bool {
    folder.join(file_name(world, 0)).exists()
}

/// Makes a folder that did not exist, or was empty: the one wanted, or the first free one with a number behind it.
fn fresh(wanted: &Path) -> PathBuf {
    let name = wanted.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..TRIES).map(|number| wanted.with_file_name(format!("{name}-{number}")));
    for folder in std::iter::once(wanted.to_path_buf()).chain(numbered) {
        match fs::create_dir(&folder) {
            Ok(()) => return folder,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_none()) {
                    return folder;
                }
            }
            Err(_) => break,
        }
    }
    // What is wrong with it shows when the files move in.
    wanted.to_path_buf()
}

/// Whether this world was spawned by another.
fn spawned(family: &Family) -> bool {
    let mut parent = 0u64;
    // SAFETY: MPI is initialised, and writes one handle.
    let code = unsafe { real::invoke(Call::Comm_get_parent, [&raw mut parent as usize]) };
    code == 0 && !family.is_null(parent & family.handle_mask)
}

fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    let read = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    if read.is_err() {
        let sample = crate::clock::sample();
        bytes[..8].copy_from_slice(&sample.realtime.to_le_bytes());
        bytes[8..].copy_from_slice(&(sample.ticks ^ std::process::id() as u64).to_le_bytes());
    }
    bytes
}

fn file_name(world: u32, rank: u32) -> String {
    match (world, rank) {
        (0, NO_RANK) => format!("process-{}.ovh", std::process::id()),
        (0, rank) => format!("rank-{rank:04}.ovh"),
        (world, rank) => format!("world-{world}-rank-{rank:04}.ovh"),
    }
}

/// Gives the file its place in the run's folder. Fails rather than overwrite another.
pub fn move_in(path: &Path, agreed: &Agreed, rank: u32) -> Result<(), String> {
    // On hosts that do not share a file system each has a folder of its own.
    fs::create_dir_all(&agreed.folder).map_err(|error| format!("{}: {error}", agreed.folder.display()))?;
    let place = agreed.folder.join(file_name(agreed.world, rank));
    let moved = match fs::hard_link(path, &place) {
        Ok(()) => fs::remove_file(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // Some file systems have no hard links.
        Err(_) if place.exists() => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(path, &place),
    };
    moved.map_err(|error| format!("{}: {error}", place.display()))
}
