//! Call sites by name: from a module and an offset to function, file and line.
//!
//! Resolved from the programs and libraries where they can be read and are the same that ran, by their build ids, and
//! kept in the run's folder: on another machine nothing but the folder is needed.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use addr2line::Loader;
use object::Object;
use serde::{Deserialize, Serialize};

use super::rank::Rank;

const CACHE: &str = "sites.json";
const SCHEMA: &str = "overhear-sites/1";

/// What is known of a run's call sites.
#[derive(Default)]
pub struct Sites {
    modules: BTreeMap<ModuleKey, BTreeMap<u64, Vec<Frame>>>,
    /// Modules whose sites could not be resolved, and why.
    pub unresolved: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ModuleKey {
    path: String,
    build_id: String,
}

/// A function that a call site lies in. Where functions were inlined there are several, innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Its name, as the source has it.
    pub function: String,
    /// The source file, empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line, 0 where it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

#[derive(Serialize, Deserialize)]
struct Cache {
    schema: String,
    modules: Vec<CachedModule>,
}

#[derive(Serialize, Deserialize)]
struct CachedModule {
    path: String,
    build_id: String,
    sites: BTreeMap<u64, Vec<Frame>>,
}

impl Sites {
    /// Takes the sites of a run from its folder, and what is not there yet from the programs that ran.
    pub fn load(folder: &Path, ranks: &[Rank]) -> Sites {
        let mut sites = Sites::read(folder);
        let mut resolved = false;
        for (module, offsets) in used(ranks) {
            let known = sites.modules.entry(module.clone()).or_default();
            let wanted: Vec<u64> = offsets.into_iter().filter(|offset| !known.contains_key(offset)).collect();
            if wanted.is_empty() {
                continue;
            }
            match resolve(&module, &wanted) {
                Ok(found) => {
                    resolved |= !found.is_empty();
                    known.extend(found);
                }
                Err(reason) => sites.unresolved.push(reason),
            }
        }
        if resolved {
            // A folder that cannot be written is no reason not to report.
            let _ = sites.write(folder);
        }
        sites
    }

    /// A rank's call site in words: `exchange (halo.c:112)`, or the module and offset.
    pub fn name(&self, rank: &Rank, site: u32) -> String {
        if let Some((function, file, line)) = self.innermost(rank, site) {
            return match (file.is_empty(), line) {
                (true, _) => function.into(),
                (false, 0) => format!("{function} ({file})"),
                (false, line) => format!("{function} ({file}:{line})"),
            };
        }
        match key(rank, site) {
            Some((module, offset)) => format!("{}+{offset:#x}", file_name(&module.path)),
            None if site == 0 => "(not told apart)".into(),
            None => "(unknown)".into(),
        }
    }

    /// The same in short: `halo.c:112` where file and line are known.
    pub fn place(&self, rank: &Rank, site: u32) -> String {
        match self.innermost(rank, site) {
            Some((_, file, line)) if line > 0 && !file.is_empty() => format!("{file}:{line}"),
            _ => self.name(rank, site),
        }
    }

    /// The function that a rank's call site lies in, empty where it is not known.
    pub fn function<'a>(&'a self, rank: &'a Rank, site: u32) -> &'a str {
        self.innermost(rank, site).map_or("", |(function, ..)| function)
    }

    /// Function, file and line of a rank's call site: as the program's own runtime says, or as was resolved.
    fn innermost<'a>(&'a self, rank: &'a Rank, site: u32) -> Option<(&'a str, &'a str, u32)> {
        if let Some(place) = rank.places.get(&site) {
            return Some((&place.function, file_name(&place.file), place.line));
        }
        let (module, offset) = key(rank, site)?;
        let frame = self.modules.get(&module)?.get(&offset)?.first()?;
        Some((&frame.function, file_name(&frame.file), frame.line))
    }

    fn read(folder: &Path) -> Sites {
        let text = fs::read_to_string(folder.join(CACHE)).unwrap_or_default();
        let cache: Option<Cache> = serde_json::from_str(&text).ok().filter(|cache: &Cache| cache.schema == SCHEMA);
        let modules = cache.into_iter().flat_map(|cache| cache.modules);
        let modules = modules.map(|m| (ModuleKey { path: m.path, build_id: m.build_id }, m.sites)).collect();
        Sites { modules, unresolved: Vec::new() }
    }

    fn write(&self, folder: &Path) -> std::io::Result<()> {
        let module = |(key, sites): (&ModuleKey, &BTreeMap<u64, Vec<Frame>>)| CachedModule {
            path: key.path.clone(),
            build_id: key.build_id.clone(),
            sites: sites.clone(),
        };
        let modules = self.modules.iter().filter(|(_, sites)| !sites.is_empty()).map(module).collect();
        let cache = Cache { schema: SCHEMA.into(), modules };
        fs::write(folder.join(CACHE), serde_json::to_string_pretty(&cache)?)
    }
}

/// A file without its folders.
fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// Module and offset of a rank's call site.
fn key(rank: &Rank, site: u32) -> Option<(ModuleKey, u64)> {
    let site = rank.sites.get(&site)?;
    let module = rank.modules.get(&site.module)?;
    let build_id = module.build_id.iter().map(|byte| format!("{byte:02x}")).collect();
    Some((ModuleKey { path: module.path.clone(), build_id }, site.offset))
}

/// The offsets that the run's calls come from, by module.
fn used(ranks: &[Rank]) -> BTreeMap<ModuleKey, HashSet<u64>> {
    let mut used: BTreeMap<ModuleKey, HashSet<u64>> = BTreeMap::new();
    for rank in ranks {
        for (module, offset) in rank.sites.keys().filter_map(|site| key(rank, *site)) {
            used.entry(module).or_default().insert(offset);
        }
    }
    used
}

/// Looks the offsets up in a module's file, if that is the one that ran.
fn resolve(module: &ModuleKey, offsets: &[u64]) -> Result<BTreeMap<u64, Vec<Frame>>, String> {
    let path = Path::new(&module.path);
    let file = fs::File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // SAFETY: a program that someone cuts while it is being read ends this command with SIGBUS, and harms nothing.
    let data = unsafe { memmap2::Mmap::map(&file) }.map_err(|error| format!("{}: {error}", path.display()))?;
    let file = object::File::parse(&*data).map_err(|error| format!("{}: {error}", path.display()))?;
    let build_id = file.build_id().ok().flatten().unwrap_or_default();
    let build_id: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
    if build_id != module.build_id {
        return Err(format!("{}: it has changed since it ran (its build id is another)", path.display()));
    }
    let loader = Loader::new(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(offsets.iter().map(|offset| (*offset, frames(&loader, *offset))).filter(|(_, f)| !f.is_empty()).collect())
}

/// The functions around the call that returns to an address.
fn frames(loader: &Loader, returns_to: u64) -> Vec<Frame> {
    // The call is before where it returns to, which may be on another line or in another function.
    let address = returns_to.saturating_sub(1);
    let mut frames = Vec::new();
    if let Ok(mut found) = loader.find_frames(address) {
        while let Ok(Some(frame)) = found.next() {
            let function = frame.function.as_ref().and_then(|name| name.demangle().ok()).map(|name| readable(&name));
            let location = frame.location.as_ref();
            frames.push(Frame {
                function: function.unwrap_or_default(),
                file: location.and_then(|location| location.file).unwrap_or_default().into(),
                line: location.and_then(|location| location.line).unwrap_or(0),
            });
        }
    }
    let symbol = || loader.find_symbol(address).map(|name| readable(&addr2line::demangle_auto(name.into(), None)));
    // Without debugging information there is still the symbol table.
    match frames.last_mut() {
        Some(outermost) if outermost.function.is_empty() => outermost.function = symbol().unwrap_or("?".into()),
        Some(_) => {}
        None => frames.extend(symbol().map(|function| Frame { function, ..Frame::default() })),
    }
    frames
}

/// A function's name as the source has it, where the compiler's is another: `__solver_MOD_step` of gfortran,
/// `solver_mp_step_` of ifort, `step_` of both.
fn readable(name: &str) -> String {
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
