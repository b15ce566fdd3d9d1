//! Looks call sites up in the programs and libraries that ran.
//!
//! Reads the debugging information of a program or library, also from files beside it (`-gsplit-dwarf`).
//!
//! The program names those files and the run's folder names the program, so a stranger may have chosen both. Only regular files
//! are read, and nothing unpacks to more than its length can account for.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::error::Error;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::gimli::{Dwarf, DwarfPackageSections, DwarfSections, EndianSlice, RunTimeEndian};
use addr2line::{Context, FrameIter, LookupContinuation, LookupResult, SplitDwarfLoad};
use memmap2::Mmap;
use object::{Object, ObjectSection};
use traces::error::in_words as system_words;
use traces::regular;

use super::{Frame, ModuleKey, Offsets};

/// Looks offsets up in a module's file if its build id matches.
pub fn resolve(module: &ModuleKey, offsets: &[u64]) -> Result<Offsets, String> {
    let path = Path::new(&module.path);
    look_up(path, module, offsets).map_err(|error| format!("{}: {error}", path.display()))
}

fn look_up(path: &Path, module: &ModuleKey, offsets: &[u64]) -> Result<Offsets, Box<dyn Error>> {
    let data = map(path)?;
    let file = object::File::parse(&*data)?;
    if file.build_id().ok().flatten().unwrap_or_default() != module.build_id {
        return Err("it has changed since the run (its build id differs)".into());
    }
    // The recorded address is the return address, which may be on another line or in another function.
    let addresses: Vec<u64> = offsets.iter().map(|returns_to| returns_to.saturating_sub(1)).collect();
    let mut known = in_debug_info(path, &file, &addresses)?;
    let symbols = file.symbol_map();
    let frames = |address: u64| {
        let symbol = symbols.containing(address).map(|symbol| addr2line::demangle_auto(symbol.name().into(), None));
        frames(known.remove(&address).unwrap_or_default(), symbol.as_deref())
    };
    let frames = offsets.iter().zip(addresses.iter().copied().map(frames));
    Ok(frames.map(|(offset, frames)| (*offset, frames)).filter(|(_, frames)| !frames.is_empty()).collect())
}

/// The functions around a call, by the symbol table without debugging information.
fn frames(mut frames: Vec<Frame>, symbol: Option<&str>) -> Vec<Frame> {
    for frame in &mut frames {
        frame.function = readable(&frame.function);
    }
    match frames.last_mut() {
        Some(outermost) if outermost.function.is_empty() => outermost.function = symbol.map_or("?".into(), readable),
        Some(_) => {}
        None => frames.extend(symbol.map(|name| Frame { function: readable(name), ..Frame::default() })),
    }
    frames
}

/// A function's name as in the source, from the compiler's: `__solver_MOD_step` of gfortran, `solver_mp_step_` of ifort, `step_`
/// of both, `_QMsolverPstep` of flang.
fn readable(name: &str) -> String {
    if let Some(path) = name.strip_prefix("_Q").and_then(of_flang) {
        return path;
    }
    if let Some((module, procedure)) = name.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_")) {
        return format!("{module}::{procedure}");
    }
    if let Some((module, procedure)) = name.strip_suffix('_').and_then(|rest| rest.split_once("_mp_")) {
        return format!("{module}::{procedure}");
    }
    match name.strip_suffix('_') {
        Some(plain) if name == name.to_lowercase() && !plain.is_empty() && !name.contains("::") => plain.into(),
        _ => name.into(),
    }
}

/// The name behind flang's `_Q`: names in small letters, each behind the letter of its kind, of which P is a procedure.
fn of_flang(name: &str) -> Option<String> {
    let is_kind = |letter: char| letter.is_ascii_uppercase();
    let kinds: Vec<char> = name.chars().filter(|letter| is_kind(*letter)).collect();
    let is_procedure = kinds.last() == Some(&'P') && kinds.iter().all(|kind| "MSFP".contains(*kind));
    let parts: Vec<&str> = name.strip_prefix(is_kind)?.split(is_kind).collect();
    (is_procedure && parts.iter().all(|part| !part.is_empty())).then(|| parts.join("::"))
}

type Reader<'a> = EndianSlice<'a, RunTimeEndian>;
type SectionBytes<'a> = Cow<'a, [u8]>;
type Wrong = Box<dyn Error>;
/// The functions around each address, innermost first, by linker name.
type Found = HashMap<u64, Vec<Frame>>;

/// Maximum ratio of a section's length to its packed length: no compiler's output shrinks further.
const MOST_PACKED: u64 = 1100;

/// Maps a regular file.
fn map(path: &Path) -> Result<Mmap, Wrong> {
    let file = regular::open(path).map_err(|error| system_words(&error))?;
    // SAFETY: if someone truncates the program while it is read, SIGBUS ends this command and harms nothing.
    Ok(unsafe { Mmap::map(&file) }?)
}

/// Finds the functions around addresses of a program.
fn in_debug_info(path: &Path, program: &object::File<'_>, addresses: &[u64]) -> Result<Found, Wrong> {
    let own = DwarfSections::load(|id| section(program, Some(id.name())))?;
    let (frames, elsewhere) = find(program, &own, &[], addresses)?;
    if elsewhere.is_empty() {
        return Ok(frames);
    }
    let mut package = path.as_os_str().to_os_string();
    package.push(".dwp");
    let package = PathBuf::from(package);
    let files: Vec<Mmap> = elsewhere.iter().chain([&package]).filter_map(|path| map(path).ok()).collect();
    let beside: Vec<Beside> = files.iter().filter_map(|file| Beside::read(file).ok()).collect();
    Ok(find(program, &own, &beside, addresses)?.0)
}

/// A separate debug file: one unit, or a package of several.
enum Beside<'a> {
    Unit(DwarfSections<SectionBytes<'a>>),
    Package(DwarfPackageSections<SectionBytes<'a>>),
}

impl<'a> Beside<'a> {
    fn read(file: &'a [u8]) -> Result<Beside<'a>, Wrong> {
        let file = object::File::parse(file)?;
        match file.section_by_name(".debug_cu_index") {
            Some(_) => Ok(Beside::Package(DwarfPackageSections::load(|id| section(&file, id.dwo_name()))?)),
            None => Ok(Beside::Unit(DwarfSections::load(|id| section(&file, id.dwo_name()))?)),
        }
    }

    /// The unit that `load` asks for, if it is in this file.
    fn unit(&'a self, load: &SplitDwarfLoad<Reader<'a>>, endian: RunTimeEndian) -> Option<Dwarf<Reader<'a>>> {
        let slice = |section: &'a SectionBytes<'a>| EndianSlice::new(section, endian);
        match self {
            Beside::Package(package) => {
                let package = package.borrow(slice, EndianSlice::new(&[], endian)).ok()?;
                package.find_cu(load.dwo_id, &load.parent).ok()?
            }
            Beside::Unit(unit) => {
                let mut unit = unit.borrow(slice);
                let header = unit.units().next().ok()??;
                let is_it = unit.unit(header).ok()?.dwo_id == Some(load.dwo_id);
                unit.make_dwo(&load.parent);
                is_it.then_some(unit)
            }
        }
    }
}

/// Finds the functions around addresses, and the separate debug files that are needed in addition to `beside`.
fn find<'a>(
    program: &object::File<'a>,
    own: &'a DwarfSections<SectionBytes<'a>>,
    beside: &'a [Beside<'a>],
    addresses: &[u64],
) -> Result<(Found, BTreeSet<PathBuf>), Wrong> {
    let endian = if program.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let context = Context::from_dwarf(own.borrow(|section| EndianSlice::new(section, endian)))?;
    let (mut found, mut elsewhere) = (HashMap::new(), BTreeSet::new());
    for address in addresses {
        let mut lookup = context.find_frames(*address);
        let frames = loop {
            lookup = match lookup {
                LookupResult::Output(frames) => break frames,
                LookupResult::Load { load, continuation } => {
                    let unit = beside.iter().find_map(|file| file.unit(&load, endian));
                    elsewhere.extend(path(&load).filter(|_| unit.is_none()));
                    continuation.resume(unit.map(Arc::new))
                }
            };
        };
        found.extend(frames.map(|frames| (*address, in_words(frames))));
    }
    Ok((found, elsewhere))
}

/// Path of the file with a split unit.
fn path(load: &SplitDwarfLoad<Reader<'_>>) -> Option<PathBuf> {
    let path = |name: &Reader<'_>| PathBuf::from(OsStr::from_bytes(name.slice()));
    let folder = load.comp_dir.as_ref().map(path).unwrap_or_default();
    load.path.as_ref().map(|name| folder.join(path(name)))
}

fn in_words(mut found: FrameIter<'_, Reader<'_>>) -> Vec<Frame> {
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = found.next() {
        let function = frame.function.as_ref().and_then(|name| name.demangle().ok());
        let location = frame.location.as_ref();
        frames.push(Frame {
            function: function.unwrap_or_default().into(),
            file: location.and_then(|location| location.file).unwrap_or_default().into(),
            line: location.and_then(|location| location.line).unwrap_or(0),
        });
    }
    frames
}

/// Unpacked bytes of a section; empty if it does not exist.
fn section<'a>(file: &object::File<'a>, name: Option<&str>) -> Result<SectionBytes<'a>, Wrong> {
    let Some(section) = name.and_then(|name| file.section_by_name(name)) else { return Ok(Cow::Borrowed(&[])) };
    let packed = section.compressed_data()?;
    let most = (packed.data.len() as u64).saturating_mul(MOST_PACKED);
    match packed.uncompressed_size > most {
        true => Err("its debugging information claims an impossible length".into()),
        false => Ok(packed.decompress()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_names_read_as_the_source_has_them() {
        let names = [
            ("__solver_MOD_step", "solver::step"),
            ("solver_mp_step_", "solver::step"),
            ("_QMsolverPstep", "solver::step"),
            ("_QMsolverFrunPinner", "solver::run::inner"),
            ("_QPstep", "step"),
            ("_QQmain", "_QQmain"),
            ("step_", "step"),
            ("Step_", "Step_"),
            ("_", "_"),
            ("ns::step_", "ns::step_"),
            ("main", "main"),
        ];
        for (symbol, source) in names {
            assert_eq!(readable(symbol), source);
        }
    }
}
