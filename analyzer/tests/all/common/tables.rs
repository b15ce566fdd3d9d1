//! Exports rows of the data set's tables with the command.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Folder, overhear, stderr};

pub fn table(run: &Path, name: &str, arguments: &[&str]) -> Vec<Value> {
    let out = Folder::new();
    let words = [&[out.0.to_str().unwrap(), "--no-cache", "--to", "json", "--tables", name], arguments].concat();
    let output = overhear("export", run, &words);
    assert!(matches!(output.status.code(), Some(0 | 4)), "{}", stderr(&output));
    let ranks = fs::read_dir(out.0.join(name)).unwrap().map(|rank| rank.unwrap().path());
    let files = ranks.flat_map(|rank| fs::read_dir(rank).unwrap().map(|file| file.unwrap().path()));
    let texts = files.map(|file| fs::read_to_string(file).unwrap()).collect::<Vec<_>>().concat();
    texts.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn list<'v>(value: &'v Value, of: &str) -> impl Iterator<Item = &'v Value> {
    value[of].as_array().unwrap().iter()
}

pub fn whole(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key}: {value}"))
}
