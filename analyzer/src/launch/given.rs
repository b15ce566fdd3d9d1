//! Variables that the user has the launcher set for its ranks, on its command line.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::cli::Launcher;

/// Names and values that stand in a launcher's words. Of variables that are only handed on, nothing.
pub fn variables(launcher: Launcher, words: &[OsString]) -> Vec<(OsString, OsString)> {
    let mut given = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let behind = &words[at + 1..];
        let value_of = |option: &str| match word.as_bytes().strip_prefix(option.as_bytes()) {
            Some([]) => behind.first().map(OsString::as_os_str),
            Some([b'=', value @ ..]) => Some(OsStr::from_bytes(value)),
            _ => None,
        };
        match launcher {
            Launcher::Openmpi => given.extend(value_of("-x").or_else(|| value_of("--x")).map(pair)),
            Launcher::Mpich if word == "-genv" || word == "-env" => match behind {
                [one, ..] if one.as_bytes().contains(&b'=') => given.push(pair(one)),
                [name, value, ..] => given.push((name.clone(), value.clone())),
                _ => {}
            },
            Launcher::Mpich => {}
            Launcher::Slurm => {
                let list =
                    value_of("--export").into_iter().flat_map(|list| list.as_bytes().split(|byte| *byte == b','));
                given.extend(list.map(OsStr::from_bytes).map(pair));
            }
            Launcher::Aprun => given.extend(value_of("-e").map(pair)),
            Launcher::Flux | Launcher::Pals => given.extend(value_of("--env").map(pair)),
        }
        if word == "env" {
            given.extend(behind.iter().take_while(|word| word.as_bytes().contains(&b'=')).map(|word| pair(word)));
        }
    }
    given
}

/// `NAME=VALUE`, or a name alone.
fn pair(word: &OsStr) -> (OsString, OsString) {
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
            assert_eq!(variables(launcher, &whole), [("A".into(), "1".into())], "{launcher:?} {words:?}");
        }
        let list = variables(Launcher::Slurm, &["--export=ALL,A=1".into()]);
        assert_eq!(list, [("ALL".into(), "".into()), ("A".into(), "1".into())]);
    }
}
