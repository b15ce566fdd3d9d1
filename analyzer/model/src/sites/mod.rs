//! Names call sites: from a module and an offset to function, file and line.
//!
//! Names are looked up in the programs and libraries that ran, if these are readable and their build ids match, and saved with
//! the run: on another machine, its folder is enough.

mod debug_info;
mod kept;
mod resolve;

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::rank::Rank;
use resolve::resolve;

/// Frames by offset in a module.
type Offsets = BTreeMap<u64, Vec<Frame>>;
/// Offsets by module.
type Modules = BTreeMap<ModuleKey, Offsets>;

/// Names of a run's call sites.
#[derive(Default)]
pub struct Sites {
    modules: Modules,
    /// Modules whose sites could not be resolved, with the reason.
    pub unresolved: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ModuleKey {
    path: String,
    build_id: String,
}

/// A function around a call site. Inlined functions give several, innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Name as in the source.
    pub function: String,
    /// Source file, empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Line, 0 if unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

impl Sites {
    /// Loads the saved names of a run's sites and looks up the rest in the programs that ran. With `keep`, saves them.
    pub fn load(folder: &Path, ranks: &[Rank], keep: bool) -> Sites {
        let run = ranks.iter().map(|rank| rank.header.run).find(|run| *run != [0; 16]).unwrap_or_default();
        let mut looked_up = kept::of_user(&run);
        let mut sites = Sites { modules: kept::of_folder(folder), unresolved: Vec::new() };
        looked_up.iter().for_each(|(module, found)| sites.learn(module, found.clone()));
        let mut is_new = false;
        for (module, offsets) in used(ranks) {
            let is_known = |offset: &u64| sites.modules.get(&module).is_some_and(|known| known.contains_key(offset));
            let wanted: Vec<u64> = offsets.into_iter().filter(|offset| !is_known(offset)).collect();
            if wanted.is_empty() {
                continue;
            }
            match resolve(&module, &wanted) {
                Ok(found) => {
                    is_new |= !found.is_empty();
                    sites.learn(&module, found.clone());
                    looked_up.entry(module).or_default().extend(found);
                }
                Err(reason) => sites.unresolved.push(reason),
            }
        }
        if is_new && keep {
            kept::write(folder, &run, &sites.modules, &looked_up);
        }
        sites
    }

    fn learn(&mut self, module: &ModuleKey, found: Offsets) {
        self.modules.entry(module.clone()).or_default().extend(found);
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

    /// A call site in short: `halo.c:112` if file and line are known.
    pub fn place(&self, rank: &Rank, site: u32) -> String {
        match self.innermost(rank, site) {
            Some((_, file, line)) if line > 0 && !file.is_empty() => format!("{file}:{line}"),
            _ => self.name(rank, site),
        }
    }

    /// The function around a rank's call site, empty if unknown.
    pub fn function<'a>(&'a self, rank: &'a Rank, site: u32) -> &'a str {
        self.innermost(rank, site).map_or("", |(function, ..)| function)
    }

    /// Function, file and line of a rank's call site, from the program's own runtime or as resolved.
    pub fn innermost<'a>(&'a self, rank: &'a Rank, site: u32) -> Option<(&'a str, &'a str, u32)> {
        let (function, path, line) = self.in_source(rank, site)?;
        Some((function, file_name(path), line))
    }

    /// The same with the file's whole path, as the compiler or the runtime has it.
    pub fn in_source<'a>(&'a self, rank: &'a Rank, site: u32) -> Option<(&'a str, &'a str, u32)> {
        if let Some(place) = rank.places.get(&site) {
            return Some((&place.function, &place.file, place.line));
        }
        let (module, offset) = key(rank, site)?;
        let frame = self.modules.get(&module)?.get(&offset)?.first()?;
        Some((&frame.function, &frame.file, frame.line))
    }
}

/// File name without folders.
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

/// Offsets of the run's call sites, by module.
fn used(ranks: &[Rank]) -> BTreeMap<ModuleKey, HashSet<u64>> {
    let mut used: BTreeMap<ModuleKey, HashSet<u64>> = BTreeMap::new();
    for rank in ranks {
        for (module, offset) in rank.sites.keys().filter_map(|site| key(rank, *site)) {
            used.entry(module).or_default().insert(offset);
        }
    }
    used
}
