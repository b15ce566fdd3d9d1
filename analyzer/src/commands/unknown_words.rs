//! Says what somebody who typed words that are neither a command nor a folder may have meant.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::cli;
use crate::launch::is_executable;
use model::error::Error;
use tables::suggest::nearest;
use tables::visible::visible;
use traces::folder::as_typed;

/// Other tools' names for our commands, each with ours.
const OTHER_NAMES: [(&str, &str); 6] = [
    ("compare", "diff"),
    ("html", "report RUN --html FILE"),
    ("profile", "record"),
    ("run", "record"),
    ("show", "report"),
    ("trace", "record"),
];

/// The error for `words`, with what to type instead.
pub fn neither(words: &[OsString]) -> Error {
    let name = words.first().map_or_else(String::new, |word| word.to_string_lossy().into_owned());
    let path = Path::new(&name);
    if path.is_file() && path.extension().is_some_and(|extension| extension == "ovh") {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        return Error::Setting(format!(
            "{} is a file of a run; name its folder: overhear {}",
            visible(&name),
            as_typed(folder)
        ));
    }
    if let Some((_, command)) = OTHER_NAMES.iter().find(|(other, _)| *other == name) {
        return unknown(&name, &format!("did you mean `overhear {command}`?"));
    }
    let command = cli::command();
    // Of a short word, two other letters make another word.
    let most = (name.len().saturating_sub(1) / 2).min(2);
    if let Some((distance, near)) = nearest(&name, command.get_subcommands().map(clap::Command::get_name))
        && distance <= most
    {
        return unknown(&name, &format!("did you mean `overhear {near}`?"));
    }
    if words.first().is_some_and(|program| is_executable(program)) {
        let typed = words.join(OsStr::new(" "));
        let (name, typed) = (visible(&name), typed.to_string_lossy());
        return Error::Setting(format!("{name} is a program; to record it: overhear record {}", visible(&typed)));
    }
    if path.is_file() {
        return Error::Setting(format!(
            "{} is a file; overhear reads folders that `overhear record` has written, and no other tool's traces",
            visible(&name)
        ));
    }
    unknown(&name, "`overhear help` lists the commands")
}

/// Names the command to type instead, if `words` pass a launcher's number of ranks to `record`.
pub fn without_launcher(words: &[OsString]) -> Option<String> {
    let [_, command, flag, rest @ ..] = words else { return None };
    if command != "record" || !(flag == "-n" || flag == "-np") {
        return None;
    }
    let typed = [flag].into_iter().chain(rest).map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    Some(format!("`record` starts no ranks itself; name the launcher: overhear record mpirun {}", visible(&typed)))
}

fn unknown(name: &str, hint: &str) -> Error {
    Error::Setting(format!("{} is neither a command nor a folder; {hint}", visible(name)))
}
