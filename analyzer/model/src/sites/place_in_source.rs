//! The places of call sites in the program's source.

/// The place in the source by which tables name a call site.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PlaceInSource {
    /// The function around it; of a site that is named by its path, all functions on the path, the outermost first. Empty if
    /// unknown.
    pub functions: Vec<String>,
    /// Source file of the last function, without folders; the program or library if functions are unknown.
    pub file: String,
    /// The line in each function, 0 if unknown; the offset in the program if functions are unknown.
    pub lines: Vec<u64>,
    /// The function that calls the last one; empty if unknown.
    pub caller: String,
}

impl PlaceInSource {
    /// The function around the site.
    pub fn function(&self) -> &str {
        self.functions.last().map_or("", String::as_str)
    }

    /// The line of the site.
    pub fn line(&self) -> u64 {
        self.lines.last().copied().unwrap_or(0)
    }
}

/// The parts of `solver.c:41`; nothing and 0 if they are unknown.
pub fn file_and_line(site: &str) -> (&str, u64) {
    site.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))).unwrap_or_default()
}
