//! Licences of the crates in command and recorder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use examples::build::cargo;
use examples::wheel::output;
use serde_json::Value;

/// A crate's name and version.
type Package = (String, String);

/// File names of licences begin so.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// Lists the crates with their licences, then each text once.
pub fn text(has_polars: bool) -> Result<String, String> {
    let crates = crates(has_polars)?;
    let folders = folders()?;
    let mut page = String::from(
        "# What overhear is made of\n\nThe command and `liboverhear.so` have Rust's standard library in them (MIT OR Apache-2.0), and \
         these crates. Their texts follow.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ((name, version), licence) in &crates {
        page.push_str(&format!("- {name} {version}: {licence}\n"));
        let folder =
            folders.get(&(name.clone(), version.clone())).ok_or_else(|| format!("cargo metadata lacks {name}"))?;
        for text in texts_in(folder) {
            texts.entry(text).or_default().push(format!("{name} {version}"));
        }
    }
    for (text, of) in texts {
        page.push_str(&format!("\n## {}\n\n{text}\n", of.join(", ")));
    }
    Ok(page)
}

/// Foreign crates linked into command and recorder, with their licences.
fn crates(has_polars: bool) -> Result<BTreeMap<Package, String>, String> {
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--package", "overhear", "--package", "overhear-interposer", "--prefix", "none"]);
    tree.args(["--edges", "normal,no-proc-macro", "--format", "{p}|{l}"]);
    tree.args(has_polars.then_some("--features=overhear/polars"));
    let tree = output(&mut tree)?;
    let line = |line: &str| {
        let (package, licence) = line.split_once('|')?;
        let mut words = package.split_whitespace();
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        let of_others = !name.starts_with("overhear");
        of_others.then(|| ((name.into(), version.into()), licence.trim_end_matches(" (*)").into()))
    };
    Ok(tree.lines().filter_map(line).collect())
}

/// Source folder of every crate.
fn folders() -> Result<BTreeMap<Package, PathBuf>, String> {
    let said = output(cargo().args(["metadata", "--locked", "--all-features", "--format-version", "1"]))?;
    let said: Value = serde_json::from_str(&said).map_err(|error| format!("cargo metadata: {error}"))?;
    let package = |package: &Value| {
        let word = |key: &str| Some(package.get(key)?.as_str()?.to_string());
        let folder = Path::new(&word("manifest_path")?).parent()?.to_path_buf();
        Some(((word("name")?, word("version")?), folder))
    };
    Ok(said["packages"].as_array().into_iter().flatten().filter_map(package).collect())
}

/// A crate's licence texts, ordered by file name.
fn texts_in(folder: &Path) -> Vec<String> {
    let is_licence = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        NAMES.iter().any(|begin| name.starts_with(begin))
    };
    let files: BTreeSet<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()).collect();
    let texts = files.into_iter().filter(is_licence).filter_map(|path| fs::read_to_string(path).ok());
    texts.map(|text| text.replace('\r', "").trim().to_string()).collect()
}
