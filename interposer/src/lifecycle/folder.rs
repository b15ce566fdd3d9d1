//! The run's folder: all its ranks agree on it, and no other run has used it.

use std::fs;
use std::io::{Error, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use traces::calls::Call;
use traces::folder;
use traces::node::MemberName;
use traces::run_notes;
use traces::settings::Occasions;

use super::together::{self, PASSED, Together};
use crate::abi::Family;
use crate::clock;
use crate::config::{self, Config};
use crate::real;
use crate::recorder::file::modules;
use crate::recorder::file::trace_file::{self, TraceFile};

/// The run's data that the ranks agree on when MPI is initialized.
pub struct Agreed {
    pub run: [u8; 16],
    pub folder: PathBuf,
    /// 0 for the launch's world, else the number of the spawned world.
    pub world: u32,
    /// Occasions on which clocks are compared; all ranks have to take part.
    pub sync: Occasions,
}

/// Bound of the numbers of worlds that are spawned into one folder.
const WORLDS: u32 = 10_000;

/// The place of files until MPI knows this process's rank.
pub struct Provisional {
    folder: PathBuf,
    /// The begin of a file's name.
    begin: &'static str,
    host: String,
}

/// Chooses the place: in the run's folder if `overhear record` has made it, else beside it.
pub fn provisional(config: &Config) -> Result<Provisional, String> {
    let wanted = wanted(config.directory.as_deref())?;
    let host = host();
    match config.run {
        // Hosts that share no file system have a folder each.
        Some(run) => Ok(Provisional { folder: folder::claim(&wanted, &run).unwrap_or(wanted), begin: "", host }),
        None => {
            let folder = parent_of(&wanted).to_path_buf();
            // An error shows when the file is made.
            let _ = fs::create_dir_all(&folder);
            Ok(Provisional { folder, begin: ".overhear-", host })
        }
    }
}

impl Provisional {
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The file of this process.
    pub fn own(&self) -> PathBuf {
        self.named(&folder::starting_file_name(&self.host, std::process::id()))
    }

    /// The file of all processes of a launch on this host.
    pub fn of_node(&self, launch: u64) -> PathBuf {
        self.named(&folder::starting_node_name(&self.host, launch))
    }

    fn named(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{}{name}", self.begin))
    }
}

/// This host's name.
pub fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().into()
}

/// The file that this process records into, when the folder is chosen.
pub enum OwnFile {
    None,
    /// A separate file, at a path.
    Path(PathBuf),
    /// A part of a file, with its name once it has one.
    Member(Option<MemberName>),
}

impl OwnFile {
    pub fn of(file: &TraceFile) -> OwnFile {
        file.member().map_or_else(|| OwnFile::Path(file.path()), |member| OwnFile::Member(member.name()))
    }

    /// Reserves the place of the first of the ranks that record together, for all of them. False if another program of
    /// the same launch has it.
    fn takes(&self, folder: &Path, first: u32) -> bool {
        let (place, claim) = (folder.join(folder::file_name(0, first)), folder.join(folder::claim_name(0, first)));
        match self {
            OwnFile::None => !claim.exists() && !place.exists(),
            OwnFile::Path(path) => !claim.exists() && (place == *path || take(path, &place)),
            OwnFile::Member(Some(name)) if *name == (MemberName { world: 0, rank: first }) => true,
            OwnFile::Member(_) => !place.exists() && fs::File::create_new(claim).is_ok(),
        }
    }
}

/// The process's first working directory, to which a relative folder is relative: the program may change directory
/// before it initializes MPI.
static BEGAN_IN: OnceLock<PathBuf> = OnceLock::new();

/// Remembers the process's first working directory.
pub fn process_begins() {
    if let Ok(directory) = std::env::current_dir() {
        let _ = BEGAN_IN.set(directory);
    }
}

/// The folder of a path; `/` if it has none.
pub fn parent_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// The folder the user wants, or one named after program and time.
pub fn wanted(directory: Option<&Path>) -> Result<PathBuf, String> {
    let directory = match directory {
        Some(directory) => directory.to_path_buf(),
        None => {
            let program = modules::executable();
            let program = Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
            PathBuf::from(folder::default_name(&program))
        }
    };
    match BEGAN_IN.get() {
        Some(began_in) => Ok(began_in.join(directory)),
        None => std::path::absolute(&directory).map_err(|error| format!("{}: {error}", directory.display())),
    }
}

/// The first of the ranks that record together, which now records into `own`, chooses a folder and sends it to the
/// others. Without a world each process decides alone, by the settings that the launcher gave to all.
pub fn agree(config: &Config, family: &Family, together: Option<&Together>, own: &OwnFile) -> Agreed {
    let mut message = FolderMessage { run: [0; 16], world: 0, sync: 0, length: 0, folder: [0; 4096] };
    if together.is_none_or(Together::is_first) {
        message.set(&decide(config, family, together, own));
    }
    if let Some((place, together)) = together.and_then(|together| Some((together.place_of_all()?, together))) {
        // SAFETY: all of the message is words and bytes, without gaps.
        let bytes = unsafe { std::slice::from_raw_parts_mut((&raw mut message).cast(), size_of::<FolderMessage>()) };
        if !place.pass(bytes, together.is_first()) {
            return decide(config, family, Some(together), own);
        }
    } else if let Some(communicator) = together.and_then(|together| together.communicator) {
        let (count, address) = (size_of::<FolderMessage>(), &raw mut message as usize);
        // SAFETY: every process of the communicator is in MPI_Init, and does this.
        unsafe { real::invoke(Call::Bcast, [address, count, family.byte as usize, 0, communicator as usize]) };
    }
    message.get()
}

#[repr(C)]
struct FolderMessage {
    run: [u8; 16],
    world: u32,
    sync: u32,
    length: u32,
    folder: [u8; 4096],
}

const _: () = assert!(size_of::<FolderMessage>() <= PASSED);

impl FolderMessage {
    fn set(&mut self, agreed: &Agreed) {
        use std::os::unix::ffi::OsStrExt;
        let folder = agreed.folder.as_os_str().as_bytes();
        self.folder.iter_mut().zip(folder).for_each(|(place, byte)| *place = *byte);
        let length = folder.len().min(self.folder.len());
        (self.run, self.world, self.length) = (agreed.run, agreed.world, length as u32);
        self.sync = agreed.sync as u32;
    }

    fn get(&self) -> Agreed {
        use std::os::unix::ffi::OsStrExt;
        let folder = self.folder.get(..self.length as usize).unwrap_or(&self.folder);
        let folder = PathBuf::from(std::ffi::OsStr::from_bytes(folder));
        Agreed { run: self.run, folder, world: self.world, sync: Occasions::from_number(self.sync) }
    }
}

fn decide(config: &Config, family: &Family, together: Option<&Together>, own: &OwnFile) -> Agreed {
    let wanted = wanted(config.directory.as_deref()).unwrap_or_else(|_| PathBuf::from("overhear"));
    if let Some(run) = config.run {
        let folder = folder::claim(&wanted, &run).unwrap_or_else(|_| wanted.clone());
        if together.is_some() && together::spawned(family) {
            let is_new = |world: &u32| fs::File::create_new(folder.join(folder::claim_name(*world, 0))).is_ok();
            // Several may be spawned at once.
            let world = (1..WORLDS).find(is_new).unwrap_or(WORLDS);
            return Agreed { run, folder, world, sync: config.sync };
        }
        // Another program of the same launch may already have used the folder.
        let first = together.and_then(|together| together.ranks.first());
        if first.is_none_or(|first| own.takes(&folder, *first)) {
            return Agreed { run, folder, world: 0, sync: config.sync };
        }
    }
    let run = random();
    // An error shows when the files move in.
    Agreed { run, folder: folder::claim(&wanted, &run).unwrap_or(wanted), world: 0, sync: config.sync }
}

/// Gives the file a second name, unless another file has that name.
fn take(own: &Path, place: &Path) -> bool {
    match fs::hard_link(own, place) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
        // Some file systems have no hard links, and a rank whose recording could not begin has no file. Then the name is
        // not reserved, and of two runs that want it at once one has the error when it moves in.
        Err(_) => !place.exists(),
    }
}

fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    let read = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    if read.is_err() {
        let sample = clock::sample();
        let own = sample.ticks ^ std::process::id() as u64;
        bytes = (u128::from(own) << 64 | u128::from(sample.realtime)).to_le_bytes();
    }
    bytes
}

/// Moves the file to its place in the run's folder. Fails if another file is there.
pub fn move_in(file: &TraceFile, agreed: &Agreed, rank: u32) -> Result<(), String> {
    // Hosts that share no file system have a folder each.
    let folder = folder::claim(&agreed.folder, &agreed.run).map_err(|error| wrong(&agreed.folder, &error))?;
    file.rename(|path| match file.member() {
        Some(member) => {
            let name = MemberName { world: agreed.world, rank };
            move_node_file(file, path, &folder, name)?;
            member.rename(name);
            Ok(())
        }
        None => move_own_file(path, folder.join(folder::file_name(agreed.world, rank))),
    })
}

/// Tells `overhear record` in front of a run if its process, the first of the ranks that record together, has begun
/// another run, in `folder`.
pub fn tell_other_run(config: &Config, agreed: &Agreed, folder: &Path) {
    let Some(run) = config.run.filter(|run| *run != agreed.run) else { return };
    if let Ok(own) = wanted(config.directory.as_deref())
        .and_then(|wanted| folder::claim(&wanted, &run).map_err(|error| error.to_string()))
    {
        let _ = run_notes::add_started(&own, folder);
    }
}

/// Leaves a message in the run's folder, or in a new one if the run has none: the next command on it prints the message.
/// `false` if it could not be written there.
pub fn leave_message(text: &str) -> bool {
    let run = config::run_in_front().unwrap_or_else(random);
    let Ok(wanted) = wanted(config::directory().as_deref()) else { return false };
    folder::claim(&wanted, &run).is_ok_and(|folder| run_notes::leave_message(&folder, text).is_ok())
}

fn wrong(place: &Path, error: &Error) -> String {
    format!("{}: {error}", place.display())
}

fn move_own_file(path: &mut PathBuf, place: PathBuf) -> Result<(), String> {
    if *path == place {
        return Ok(());
    }
    let moved = match fs::hard_link(&path, &place) {
        Ok(()) => fs::remove_file(&path),
        Err(_) if is_same(path, &place) => fs::remove_file(&path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // Some file systems have no hard links.
        Err(_) => folder::rename_new(path, &place),
    };
    moved.map_err(|error| wrong(&place, &error))?;
    *path = place;
    Ok(())
}

/// Moves the file of all processes of this host into a folder, unless another of the processes has done so. A process
/// of another run, which a launcher has not told apart, gives the file a second name in its own folder.
fn move_node_file(file: &TraceFile, path: &mut PathBuf, folder: &Path, name: MemberName) -> Result<(), String> {
    let host = host();
    for number in 1..NODE_FILES {
        let place = folder.join(folder::node_name(&host, number));
        let moved = if file.is_at(&place) { Ok(()) } else { file.link(&place) };
        let moved = match moved {
            Err(_) if file.is_at(&place) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if trace_file::has_member(&place, name) {
                    return Err(wrong(&place.join(folder::file_name(name.world, name.rank)), &error));
                }
                continue;
            }
            // Some file systems have no hard links.
            Err(_) if file.is_at(path) => folder::rename_new(path, &place),
            moved => moved,
        };
        moved.map_err(|error| wrong(&place, &error))?;
        if *path != place && file.is_at(path) {
            let _ = fs::remove_file(&path);
        }
        *path = place;
        return Ok(());
    }
    Err(wrong(folder, &ErrorKind::AlreadyExists.into()))
}

/// Bound of the numbers of a host's files in a folder: programs of a launch that run one after another have one each.
const NODE_FILES: u32 = 10_000;

fn is_same(one: &Path, other: &Path) -> bool {
    let file = |path: &Path| fs::metadata(path).map(|data| (data.dev(), data.ino()));
    file(one).is_ok_and(|one| file(other).is_ok_and(|other| one == other))
}
