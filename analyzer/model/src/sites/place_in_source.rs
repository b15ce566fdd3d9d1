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

/// What stands between the line that calls MPI and the line of the same file that calls the function around it.
const CALLED_FROM: &str = " (called from :";

/// `solver.c:41 (called from :88)`, for two lines of one file.
pub fn with_caller(site: &str, caller: &str) -> String {
    let line = caller.rsplit_once(':').map_or(caller, |(_, line)| line);
    format!("{site}{CALLED_FROM}{line})")
}

/// The line that calls MPI, and the line that calls the function around it where the place names one: `solver.c:41` and `solver.c:88`.
pub fn line_and_caller(place: &str) -> (&str, Option<String>) {
    let Some((site, line)) = place.split_once(CALLED_FROM) else { return (place, None) };
    let file = site.rsplit_once(':').map_or(site, |(file, _)| file);
    (site, Some(format!("{file}:{}", line.trim_end_matches(')'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_with_its_caller_gives_both_lines_back() {
        let place = with_caller("solver.c:41", "solver.c:88");
        assert_eq!(place, "solver.c:41 (called from :88)");
        assert_eq!(line_and_caller(&place), ("solver.c:41", Some("solver.c:88".into())));
        assert_eq!(line_and_caller("solver.c:41"), ("solver.c:41", None));
    }
}
