//! The command line of a launch: its programs, including those in a file it names, and the variables it sets for them.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use traces::regular;

use crate::cli::Launcher;

/// Words of each program: options, the program and its arguments. If a file names the programs, the command line's
/// words are options for all.
pub fn each_programs_words(launcher: Launcher, command: &[OsString]) -> Vec<Vec<OsString>> {
    let on_line = command[1..].split(|word| word == ":").map(<[OsString]>::to_vec);
    on_line.chain(in_file(launcher, command).unwrap_or_default()).collect()
}

/// Returns the index of the word that names a file of programs.
pub fn place_of_file(launcher: Launcher, command: &[OsString]) -> Option<usize> {
    let behind = |options: &[&str]| {
        let option = command.iter().position(|word| options.iter().any(|option| word == option))?;
        (option + 1 < command.len()).then_some(option + 1)
    };
    match launcher {
        Launcher::Openmpi => behind(&["--app", "-app"]),
        Launcher::Mpich => behind(&["-configfile", "--configfile"]),
        // The file takes the place of a program.
        Launcher::Slurm => {
            command.iter().find(|word| *word == "--multi-prog")?;
            let is_file = |word: &OsString| Path::new(word).is_file();
            command.iter().skip(1).position(is_file).map(|at| at + 1)
        }
        Launcher::Flux | Launcher::Aprun | Launcher::Pals => None,
    }
}

/// Lines of a file of programs, without comments and empty lines.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// Reads the file of programs, if it is a regular file: a pipe can be read only once, by the launcher.
fn in_file(launcher: Launcher, command: &[OsString]) -> Option<Vec<Vec<OsString>>> {
    let mut text = String::new();
    let path = &command[place_of_file(launcher, command)?];
    regular::open(Path::new(path)).ok()?.read_to_string(&mut text).ok()?;
    Some(lines(&text).map(|line| line.split_whitespace().map(OsString::from).collect()).collect())
}

/// Returns the variables that a launcher's words set for its ranks. Those passed on without a value have an empty one.
pub fn given_variables(launcher: Launcher, words: &[OsString]) -> Vec<(OsString, OsString)> {
    let mut given = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let behind = &words[at + 1..];
        let value_of = |option: &str| match word.as_bytes().strip_prefix(option.as_bytes()) {
            Some([]) => behind.first().map(OsString::as_os_str),
            Some([b'=', value @ ..]) => Some(OsStr::from_bytes(value)),
            _ => None,
        };
        match launcher {
            Launcher::Openmpi => given.extend(value_of("-x").or_else(|| value_of("--x")).map(split_pair)),
            Launcher::Mpich if word == "-genv" || word == "-env" => match behind {
                [one, ..] if one.as_bytes().contains(&b'=') => given.push(split_pair(one)),
                [name, value, ..] => given.push((name.clone(), value.clone())),
                _ => {}
            },
            Launcher::Mpich => {}
            Launcher::Slurm => {
                let list =
                    value_of("--export").into_iter().flat_map(|list| list.as_bytes().split(|byte| *byte == b','));
                given.extend(list.map(OsStr::from_bytes).map(split_pair));
            }
            Launcher::Aprun => given.extend(value_of("-e").map(split_pair)),
            Launcher::Flux | Launcher::Pals => given.extend(value_of("--env").map(split_pair)),
        }
        if word == "env" {
            given.extend(behind.iter().take_while(|word| word.as_bytes().contains(&b'=')).map(|word| split_pair(word)));
        }
    }
    given
}

/// Splits `NAME=VALUE`, or a name alone.
fn split_pair(word: &OsStr) -> (OsString, OsString) {
    let mut parts = word.as_bytes().splitn(2, |byte| *byte == b'=').map(|part| OsStr::from_bytes(part).to_os_string());
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_launchers_way_of_setting_a_variable_is_known() {
        let ways: [(Launcher, &[&str]); 10] = [
            (Launcher::Openmpi, &["-x", "A=1"]),
            (Launcher::Mpich, &["-genv", "A", "1"]),
            (Launcher::Mpich, &["-n", "2", "-env", "A=1"]),
            (Launcher::Slurm, &["--export", "A=1"]),
            (Launcher::Slurm, &["--export=A=1"]),
            (Launcher::Flux, &["run", "--env=A=1"]),
            (Launcher::Flux, &["run", "--env", "A=1"]),
            (Launcher::Aprun, &["-e", "A=1"]),
            (Launcher::Pals, &["--env", "A=1"]),
            (Launcher::Pals, &["-n", "1", "env", "A=1"]),
        ];
        for (launcher, words) in ways {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let whole = [&words[..], &["./app".into(), "B=2".into()]].concat();
            assert_eq!(given_variables(launcher, &whole), [("A".into(), "1".into())], "{launcher:?} {words:?}");
        }
        let list = given_variables(Launcher::Slurm, &["--export=ALL,A=1".into()]);
        assert_eq!(list, [("ALL".into(), "".into()), ("A".into(), "1".into())]);
    }
}
