//! Saves the names of call sites from one analysis to the next.
//!
//! The names lie in the run's folder if it is the user's own, and travel with every copy. Another user's folder is never written:
//! names looked up here then go to the user's cache folder, under the run's identity.

use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::io;
use std::io::BufReader;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use traces::regular;

use super::{ModuleKey, Modules, Offsets};
use crate::output;
use crate::output::OutputFolder;

const FILE: &str = "sites.json";
const SCHEMA: &str = "overhear-sites/1";

#[derive(Serialize, Deserialize)]
struct Kept {
    schema: String,
    modules: Vec<KeptModule>,
}

#[derive(Serialize, Deserialize)]
struct KeptModule {
    path: String,
    build_id: String,
    sites: Offsets,
}

/// Names saved in the run's folder.
pub fn of_folder(folder: &Path) -> Modules {
    read(&folder.join(FILE))
}

/// Names saved in the user's cache folder.
pub fn of_user(run: &[u8; 16]) -> Modules {
    output::path().map(|cache| read(&cache.join(file_name(run)))).unwrap_or_default()
}

/// Saves all names in the run's folder, or else the names looked up here in the user's cache folder.
pub fn write(folder: &Path, run: &[u8; 16], all: &Modules, looked_up: &Modules) {
    // If neither can be written, the next analysis looks them up again.
    let _ = match OutputFolder::own(folder) {
        Some(folder) => in_folder(folder, FILE, all),
        None => in_cache(run, looked_up),
    };
}

fn in_cache(run: &[u8; 16], modules: &Modules) -> io::Result<()> {
    let Some(cache) = output::path() else { return Ok(()) };
    DirBuilder::new().recursive(true).mode(0o700).create(&cache)?;
    match OutputFolder::own(&cache) {
        Some(folder) => in_folder(folder, &file_name(run), modules),
        None => Ok(()),
    }
}

fn in_folder(folder: OutputFolder, name: &str, modules: &Modules) -> io::Result<()> {
    let module = |(key, sites): (&ModuleKey, &Offsets)| KeptModule {
        path: key.path.clone(),
        build_id: hexadecimal(&key.build_id),
        sites: sites.clone(),
    };
    let modules = modules.iter().filter(|(_, sites)| !sites.is_empty()).map(module).collect();
    let kept = Kept { schema: SCHEMA.into(), modules };
    folder.write(name, serde_json::to_string_pretty(&kept)?.as_bytes())
}

fn read(path: &Path) -> Modules {
    let Ok(file) = regular::open(path) else { return BTreeMap::new() };
    let kept: Option<Kept> = serde_json::from_reader(BufReader::new(file)).ok();
    let modules = kept.filter(|kept| kept.schema == SCHEMA).into_iter().flat_map(|kept| kept.modules);
    let known = |module: KeptModule| {
        let build_id = bytes(&module.build_id)?;
        Some((ModuleKey { path: module.path, build_id }, module.sites))
    };
    modules.filter_map(known).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of a text of hexadecimal digits.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).ok());
    pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect()
}

fn file_name(run: &[u8; 16]) -> String {
    format!("sites-{}.json", hexadecimal(run))
}
