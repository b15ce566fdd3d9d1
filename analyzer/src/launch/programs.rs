//! The command line of a launch: its programs, including those in a file it names, and the variables it sets for them.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use traces::regular;

use super::is_executable;

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

/// A variable that a launcher's words set for its ranks.
struct Assignment {
    name: OsString,
    /// The word that holds the value, and the value's place in it. A name alone hands on the launcher's own value.
    word: usize,
    value: Range<usize>,
    is_name_alone: bool,
}

/// Returns the variables that a launcher's words set for its ranks. Those passed on without a value have an empty one.
pub fn given_variables(launcher: Launcher, words: &[OsString]) -> Vec<(OsString, OsString)> {
    let value = |set: &Assignment| OsStr::from_bytes(&words[set.word].as_bytes()[set.value.clone()]).to_os_string();
    assignments(launcher, words).into_iter().map(|set| (set.name.clone(), value(&set))).collect()
}

/// The words of one program in which every value of a variable, up to the program's own arguments, is what `change` makes of it, or of
/// nothing where the launcher hands on its own value.
pub fn with_changed(
    launcher: Launcher,
    words: &[OsString],
    name: &str,
    change: &dyn Fn(Option<&OsStr>) -> OsString,
) -> Vec<OsString> {
    let mut changed = words.to_vec();
    for Assignment { word, value, is_name_alone, .. } in of_name(launcher, words, name).into_iter().rev() {
        let mut bytes = changed[word].as_bytes().to_vec();
        let new = match is_name_alone {
            true => [b"=", change(None).as_bytes()].concat(),
            false => change(Some(OsStr::from_bytes(&bytes[value.clone()]))).into_vec(),
        };
        bytes.splice(value, new);
        changed[word] = OsString::from_vec(bytes);
    }
    changed
}

/// True if the launcher's words set a variable for their program.
pub fn sets(launcher: Launcher, words: &[OsString], name: &str) -> bool {
    !of_name(launcher, words, name).is_empty()
}

/// The assignments to a variable before the program's own arguments.
fn of_name(launcher: Launcher, words: &[OsString], name: &str) -> Vec<Assignment> {
    let mut set = assignments(launcher, &words[..place_of_program(launcher, words)]);
    set.retain(|set| set.name == name);
    set
}

/// The index of the program among the words behind the launcher: the first executable that is neither `env` nor a variable's value, and
/// if possible no option's.
pub fn place_of_program(launcher: Launcher, words: &[OsString]) -> usize {
    let set = assignments(launcher, words);
    let is_executable =
        |at: &usize| words[*at] != "env" && !set.iter().any(|set| set.word == *at) && is_executable(&words[*at]);
    // In `--map-by node`, the value has the name of a program.
    let is_no_value = |at: &usize| {
        let is_path = words[*at].as_bytes().contains(&b'/');
        is_path || at.checked_sub(1).is_none_or(|before| !words[before].as_bytes().starts_with(b"-"))
    };
    let executables: Vec<usize> = (0..words.len()).filter(is_executable).collect();
    let program = executables.iter().find(|at| is_no_value(at)).or(executables.first());
    program.copied().unwrap_or(words.len())
}

/// The variables that a launcher's words set, in the order of the words.
fn assignments(launcher: Launcher, words: &[OsString]) -> Vec<Assignment> {
    let mut given = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let value_of = |option: &str| match word.as_bytes().strip_prefix(option.as_bytes()) {
            Some([]) => words.get(at + 1).map(|next| (at + 1, 0..next.len())),
            Some([b'=', ..]) => Some((at, option.len() + 1..word.len())),
            _ => None,
        };
        let pair_of = |option: &str| value_of(option).map(|(word, place)| pair_in(words, word, place));
        match launcher {
            Launcher::Openmpi => given.extend(pair_of("-x").or_else(|| pair_of("--x"))),
            Launcher::Mpich if word == "-genv" || word == "-env" => match &words[at + 1..] {
                [one, ..] if one.as_bytes().contains(&b'=') => given.push(pair_in(words, at + 1, 0..one.len())),
                [name, value, ..] => {
                    let (name, value) = (name.clone(), 0..value.len());
                    given.push(Assignment { name, word: at + 2, value, is_name_alone: false });
                }
                _ => {}
            },
            Launcher::Mpich => {}
            Launcher::Slurm => {
                if let Some((word, list)) = value_of("--export") {
                    let mut begin = list.start;
                    for part in words[word].as_bytes()[list].split(|byte| *byte == b',') {
                        given.push(pair_in(words, word, begin..begin + part.len()));
                        begin += part.len() + 1;
                    }
                }
            }
            Launcher::Aprun => given.extend(pair_of("-e")),
            Launcher::Flux | Launcher::Pals => given.extend(pair_of("--env")),
        }
        if word == "env" {
            let behind = (at + 1..words.len()).take_while(|at| words[*at].as_bytes().contains(&b'='));
            given.extend(behind.map(|at| pair_in(words, at, 0..words[at].len())));
        }
    }
    given
}

/// Splits `NAME=VALUE`, or a name alone, in a part of a word.
fn pair_in(words: &[OsString], word: usize, part: Range<usize>) -> Assignment {
    let bytes = &words[word].as_bytes()[part.clone()];
    let length = bytes.iter().position(|byte| *byte == b'=');
    let name = OsStr::from_bytes(&bytes[..length.unwrap_or(bytes.len())]).to_os_string();
    let value = length.map_or(part.end, |length| part.start + length + 1)..part.end;
    Assignment { name, word, value, is_name_alone: length.is_none() }
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

    #[test]
    fn a_list_of_libraries_to_preload_gets_ours_wherever_it_stands_but_in_the_programs_own_words() {
        let ways: [(Launcher, &str, &str); 10] = [
            (
                Launcher::Openmpi,
                "-x LD_PRELOAD=a.so -n 2 sh -x LD_PRELOAD=b",
                "-x LD_PRELOAD=o:a.so -n 2 sh -x LD_PRELOAD=b",
            ),
            (Launcher::Openmpi, "--map-by env -x LD_PRELOAD=a.so sh", "--map-by env -x LD_PRELOAD=o:a.so sh"),
            (Launcher::Openmpi, "--map-by cat -x LD_PRELOAD=a.so sh", "--map-by cat -x LD_PRELOAD=o:a.so sh"),
            (Launcher::Openmpi, "-x LD_PRELOAD -n 2 sh", "-x LD_PRELOAD=o:own -n 2 sh"),
            (Launcher::Mpich, "-genv LD_PRELOAD a.so -n 2 sh", "-genv LD_PRELOAD o:a.so -n 2 sh"),
            (Launcher::Mpich, "-env LD_PRELOAD cat -n 2 sh", "-env LD_PRELOAD o:cat -n 2 sh"),
            (Launcher::Mpich, "-n 2 -env LD_PRELOAD=a.so sh", "-n 2 -env LD_PRELOAD=o:a.so sh"),
            (Launcher::Slurm, "--export=ALL,LD_PRELOAD=a.so,B=1 sh", "--export=ALL,LD_PRELOAD=o:a.so,B=1 sh"),
            (Launcher::Pals, "-n 2 env A=1 LD_PRELOAD=a.so sh", "-n 2 env A=1 LD_PRELOAD=o:a.so sh"),
            (Launcher::Flux, "run --env=LD_PRELOAD=a.so sh", "run --env=LD_PRELOAD=o:a.so sh"),
        ];
        let join =
            |value: Option<&OsStr>| OsString::from(format!("o:{}", value.unwrap_or("own".as_ref()).to_string_lossy()));
        for (launcher, command, joined) in ways {
            let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
            let changed = with_changed(launcher, &words, "LD_PRELOAD", &join);
            assert_eq!(changed.join(OsStr::new(" ")), joined, "{launcher:?}");
        }
    }
}
