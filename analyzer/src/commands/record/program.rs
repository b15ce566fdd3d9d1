//! Inspects a program's file before it runs.

use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use object::{Object, ObjectSymbol};
use traces::settings;

use crate::launch::{find, is_executable, library};

/// The reason why preloading is impossible or has no effect; `None` if it works or is unnecessary.
pub fn cannot_be_preloaded(program: &OsStr) -> Option<String> {
    let path = find(program)?;
    let name = program.to_string_lossy();
    let metadata = fs::metadata(&path).ok()?;
    if let Some(why) = gains_rights(&path, &metadata) {
        return Some(format!("{name} {why}, so the system preloads nothing; it will not be recorded"));
    }
    let link = "link it with liboverhear.a to record it";
    examine(&path, |program| {
        if has_recorder(program) {
            return None;
        }
        if program.section_by_name(".interp").is_none() {
            return Some(format!("{name} is statically linked, so nothing can be preloaded; {link}"));
        }
        let inside =
            format!("{name} contains its own copy of MPI (statically linked), which overhear cannot see; {link}");
        contains_mpi(program).then_some(inside)
    })
    .flatten()
}

/// True if a program defines MPI's functions and needs none of a library. A tool that is linked into a program defines some,
/// too, but calls the library's.
fn contains_mpi(program: &object::File) -> bool {
    let is_mpi = |name: &str| name.starts_with("MPI_") || name.starts_with("PMPI_");
    let imports_mpi =
        || program.dynamic_symbols().any(|symbol| symbol.is_undefined() && symbol.name().is_ok_and(is_mpi));
    program.symbols().any(|symbol| symbol.name() == Ok("MPI_Init") && symbol.is_definition()) && !imports_mpi()
}

/// The way out where the system does not run the program.
pub fn what_to_try(program: &OsStr, error: &io::Error) -> String {
    let is_path = program.as_encoded_bytes().contains(&b'/');
    match error.kind() {
        ErrorKind::NotFound if !is_path && Path::new(program).is_file() => {
            format!(" in a folder of PATH. This folder has it: ./{}", program.to_string_lossy())
        }
        ErrorKind::NotFound if !is_path => " in a folder of PATH. Give the program's path.".into(),
        ErrorKind::NotFound if Path::new(program).exists() => {
            ": the file is there, but not the interpreter in its first line, or its loader.".into()
        }
        ErrorKind::PermissionDenied if Path::new(program).is_file() => ". Is it executable (chmod +x)?".into(),
        _ => String::new(),
    }
}

/// Libraries of a program that must be loaded first.
pub fn needs_first(program: &OsStr) -> Vec<OsString> {
    let needed = |program: &object::File| {
        let object::File::Elf64(program) = program else { return Vec::new() };
        let Ok(table) = program.elf_dynamic_table() else { return Vec::new() };
        let needed = table.iter().filter(|entry| entry.tag == object::elf::DT_NEEDED);
        let names = needed.filter_map(|entry| table.string(entry).ok()).map(OsStr::from_bytes);
        names.filter(|name| library::insists(name)).map(OsString::from).collect()
    };
    let path = find(program).filter(|_| is_executable(program));
    path.and_then(|path| examine(&path, needed)).unwrap_or_default()
}

pub fn is_script(program: &OsStr) -> bool {
    let mut first = [0; 2];
    let read = find(program).and_then(|path| File::open(path).ok()?.read_exact(&mut first).ok());
    read.is_some() && first == *b"#!"
}

/// True if a program is likely to start others: a script or a shell.
pub fn starts_others(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().unwrap_or_default();
    is_script(program)
        || ["sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish", "env"].iter().any(|shell| name == *shell)
}

/// True if the program was linked with `liboverhear.a`, so that nothing is preloaded into it.
pub fn is_linked_with_recorder(program: &OsStr) -> bool {
    find(program).and_then(|path| examine(&path, has_recorder)).unwrap_or(false)
}

fn has_recorder(program: &object::File) -> bool {
    // The archive puts this section into programs linked with it.
    program.section_by_name("overhear_linked").is_some()
}

fn examine<R>(path: &Path, look: impl Fn(&object::File) -> R) -> Option<R> {
    let file = File::open(path).ok()?;
    // SAFETY: a program that is cut while it is being looked at cannot be run either.
    let data = unsafe { memmap2::Mmap::map(&file) }.ok()?;
    object::File::parse(&*data).ok().map(|program| look(&program))
}

/// Rights that the program has beyond its user's. With them, the loader preloads only from the system's folders.
fn gains_rights(path: &Path, metadata: &Metadata) -> Option<&'static str> {
    let mode = metadata.permissions().mode();
    // SAFETY: asks the system.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    match () {
        _ if mode & libc::S_ISUID != 0 && metadata.uid() != user => Some("runs as another user (setuid)"),
        _ if mode & libc::S_ISGID != 0 && metadata.gid() != group => Some("runs as another group (setgid)"),
        // Root has all capabilities anyway.
        _ if user != 0 && has_capabilities(path) => Some("has capabilities of its own (setcap)"),
        _ => None,
    }
}

fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: asks for the length of an attribute alone.
    unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) > 0 }
}

/// True if a launcher has started this process.
pub fn has_launcher() -> bool {
    settings::launcher_rank(|name| env::var(name).ok()).is_some()
}

/// True if this process speaks for all: the launcher calls it rank 0, or gives no rank.
pub fn is_first_rank() -> bool {
    settings::launcher_rank(|name| env::var(name).ok()).is_none_or(|rank| rank == 0)
}
