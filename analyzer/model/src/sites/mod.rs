//! Names call sites: from a module and an offset to function, file and line.
//!
//! Names are looked up in the programs and libraries that ran, if these are readable and their build ids match, and saved with
//! the run: on another machine, its folder is enough.

mod alike;
mod call_sites;
mod call_tree;
mod layers;
mod named_sites;
mod place_in_source;
mod resolve;
mod saved_names;
mod short_function;
mod shown_names;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::Path;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use traces::definitions::Module;

use super::rank::Rank;
use crate::site_naming::SiteNaming;
pub use alike::AlikeSites;
pub use call_sites::{CallSite, CallSites};
pub use call_tree::{BEYOND, CallNode, CallPlace, CallTree, UNKNOWN};
pub use layers::Layers;
use named_sites::NamedSites;
pub use place_in_source::{PlaceInSource, line_and_caller};
use resolve::resolve;
pub use short_function::short_function;
use shown_names::ShownNames;

/// Frames by offset in a module.
type Offsets = BTreeMap<u64, Vec<Frame>>;
type Modules = BTreeMap<ModuleKey, Offsets>;

/// Names of a run's call sites.
#[derive(Default)]
pub struct Sites {
    modules: Modules,
    /// Modules whose call sites could not be resolved, with the reason.
    pub unresolved: Vec<String>,
    /// Short names of functions, where people read them.
    shown: ShownNames,
    /// Names by callers or paths, if the user chose them.
    named: NamedSites,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct ModuleKey {
    path: String,
    build_id: Vec<u8>,
}

/// Identity of a call site: sites with the same identity have one name on all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SiteIdentity<'a> {
    /// Name and place by its callers or its path, if the user chose these.
    Named(&'a str, &'a str),
    /// Function, file and line, from the program's own runtime.
    Placed(&'a str, &'a str, u32),
    /// Path and build id of a module, and an offset in it.
    InModule(&'a str, &'a [u8], u64),
    Unknown,
    NotToldApart,
}

/// A function around a call site. Inlined functions give several, innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Frame {
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

impl Frame {
    /// `solver.c:41`, empty if file or line is unknown.
    fn place(&self) -> String {
        if self.file.is_empty() || self.line == 0 {
            return String::new();
        }
        format!("{}:{}", file_name(&self.file), self.line)
    }
}

impl Sites {
    /// Loads the saved names of a run's sites and looks up the rest in the programs that ran. With `keep`, saves them.
    pub fn load(folder: &Path, ranks: &[Rank], keep: bool) -> Sites {
        let run = ranks.iter().map(|rank| rank.header.run).find(|run| *run != [0; 16]).unwrap_or_default();
        let mut looked_up = saved_names::of_user(&run);
        let mut sites = Sites { modules: saved_names::of_folder(folder), ..Sites::default() };
        for (module, found) in &looked_up {
            sites.learn(module, found.clone());
        }
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
                Err(reason) if calls_mpi(&module, ranks) => sites.unresolved.push(reason),
                Err(_) => {}
            }
        }
        if is_new && keep {
            saved_names::write(folder, &run, &sites.modules, &looked_up);
        }
        sites
    }

    fn learn(&mut self, module: &ModuleKey, found: Offsets) {
        self.modules.entry(module.clone()).or_default().extend(found);
    }

    /// These sites with the names that the user chose.
    pub fn named(mut self, ranks: &[Rank], naming: &SiteNaming) -> Sites {
        if naming.is_short {
            let frames = self.modules.values().flat_map(|offsets| offsets.values().flatten());
            let placed = ranks.iter().flat_map(|rank| rank.places.values().map(|place| place.function.as_str()));
            self.shown = ShownNames::of(frames.map(|frame| frame.function.as_str()).chain(placed));
        }
        self.named = NamedSites::of(&self, ranks, naming);
        self
    }

    /// Functions of the program's communication layer that names skip in favor of their callers.
    pub fn left_out(&self) -> &BTreeSet<String> {
        &self.named.left_out
    }

    /// A rank's call site in words: `exchange (halo.c:112)`, or the module and offset; its caller or path if the user chose
    /// these.
    pub fn name(&self, rank: &Rank, site: u32) -> String {
        self.named.get(rank, site).map_or_else(|| self.own_name(rank, site), |named| named.name.clone())
    }

    /// The identity of a rank's call site: many ranks share their sites, and an identity is compared faster than a name is made.
    pub fn identity<'a>(&'a self, rank: &'a Rank, site: u32) -> SiteIdentity<'a> {
        if let Some(named) = self.named.get(rank, site) {
            return SiteIdentity::Named(&named.name, &named.place);
        }
        if let Some(place) = rank.places.get(&site) {
            return SiteIdentity::Placed(&place.function, &place.file, place.line);
        }
        match module_and_offset(rank, site) {
            Some((module, offset)) => SiteIdentity::InModule(&module.path, &module.build_id, offset),
            None if site == 0 => SiteIdentity::NotToldApart,
            None => SiteIdentity::Unknown,
        }
    }

    fn own_name(&self, rank: &Rank, site: u32) -> String {
        if let Some((function, file, line)) = self.innermost(rank, site) {
            let function = self.shown.get(function);
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
        if let Some(named) = self.named.get(rank, site) {
            return named.place.clone();
        }
        match self.innermost(rank, site) {
            Some((_, file, line)) if line > 0 && !file.is_empty() => format!("{file}:{line}"),
            _ => self.own_name(rank, site),
        }
    }

    /// [`name`](Self::name) and [`place`](Self::place) of a rank's call site in the program's own source: of functions of a language's
    /// library that are inlined there, the line of the program that calls them.
    pub fn outside_headers(&self, rank: &Rank, site: u32) -> (String, String) {
        let frames = key(rank, site).and_then(|(module, offset)| self.modules.get(&module)?.get(&offset));
        let is_of_program = |frame: &&Frame| !HEADERS.iter().any(|folder| frame.file.contains(folder));
        let own = frames.into_iter().flatten().position(|frame| is_of_program(&frame)).filter(|at| *at > 0);
        let frame = own.and_then(|at| frames?.get(at)).filter(|_| self.named.get(rank, site).is_none());
        match frame.map(|frame| (frame, frame.place())) {
            Some((frame, place)) if !place.is_empty() => {
                (format!("{} ({place})", self.shown.get(&frame.function)), place)
            }
            _ => (self.name(rank, site), self.place(rank, site)),
        }
    }

    /// Finds the place of a rank's call site in the source.
    pub fn source(&self, rank: &Rank, site: u32) -> PlaceInSource {
        if let Some(named) = self.named.get(rank, site) {
            return named.source.clone();
        }
        if self.innermost(rank, site).is_some() {
            let (tree, place) = CallTree::of_site(self, rank, site);
            return tree.source(&place);
        }
        match module_and_offset(rank, site) {
            Some((module, offset)) => {
                let file = file_name(&module.path).to_string();
                PlaceInSource { file, lines: vec![offset], ..PlaceInSource::default() }
            }
            None => PlaceInSource::default(),
        }
    }

    /// The functions on the path to a function that a rank calls at a site, and that function, each with where it is called; the
    /// outermost first.
    pub fn stack(&self, rank: &Rank, site: u32, called: String) -> Vec<(String, String)> {
        let (tree, place) = CallTree::of_site(self, rank, site);
        let mut stack = vec![(called, place.site)];
        for node in tree.upwards(place.node) {
            let node = &tree.nodes[node as usize];
            stack.push((short_function(&node.function), node.site.clone()));
        }
        stack.reverse();
        stack
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

    /// Function, whole path of the file and line of a site, as the compiler or the runtime has them.
    pub fn in_source<'a>(&'a self, rank: &'a Rank, site: u32) -> Option<(&'a str, &'a str, u32)> {
        if let Some(place) = rank.places.get(&site) {
            return Some((&place.function, &place.file, place.line));
        }
        let (module, offset) = key(rank, site)?;
        let frame = self.modules.get(&module)?.get(&offset)?.first()?;
        Some((&frame.function, &frame.file, frame.line))
    }
}

/// Parts of the paths of headers whose functions are inlined into programs.
const HEADERS: [&str; 2] = ["/include/c++/", "/usr/include/"];

/// File name without folders.
fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// Module and offset of a rank's call site.
fn module_and_offset(rank: &Rank, site: u32) -> Option<(&Module, u64)> {
    let site = rank.sites.get(&site)?;
    Some((rank.modules.get(&site.module)?, site.offset))
}

fn key(rank: &Rank, site: u32) -> Option<(ModuleKey, u64)> {
    let (module, offset) = module_and_offset(rank, site)?;
    Some((ModuleKey { path: module.path.clone(), build_id: module.build_id.clone() }, offset))
}

/// True for a module with sites that are not only callers.
fn calls_mpi(of: &ModuleKey, ranks: &[Rank]) -> bool {
    let is_it = |module: &Module| (&module.path, &module.build_id) == (&of.path, &of.build_id);
    let is_here = |rank: &Rank, site| module_and_offset(rank, site).is_some_and(|(module, _)| is_it(module));
    let mut with_it = ranks.iter().filter(|rank| rank.modules.values().any(is_it));
    with_it.any(|rank| rank.calling_sites().into_iter().any(|site| is_here(rank, site)))
}

/// Offsets of the run's call sites, by module.
fn used(ranks: &[Rank]) -> BTreeMap<ModuleKey, HashSet<u64>> {
    let mut used: FxHashMap<(&str, &[u8]), HashSet<u64>> = FxHashMap::default();
    for rank in ranks {
        let mut of_modules: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
        for site in rank.sites.values() {
            of_modules.entry(site.module).or_default().push(site.offset);
        }
        for (number, offsets) in of_modules {
            let Some(module) = rank.modules.get(&number) else { continue };
            used.entry((&module.path, &module.build_id)).or_default().extend(offsets);
        }
    }
    let owned = |(path, build_id): (&str, &[u8])| ModuleKey { path: path.into(), build_id: build_id.into() };
    used.into_iter().map(|(module, offsets)| (owned(module), offsets)).collect()
}
