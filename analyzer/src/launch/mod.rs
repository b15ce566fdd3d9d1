//! Makes a launcher pass the environment to its ranks, and only to them.

mod launchers;
pub mod library;
pub mod on_node;
pub mod programs;
pub mod split_launch;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use traces::settings::{self, SETTINGS};

use crate::cli::{Launcher, Settings};
pub use library::{PreloadLibrary, is_to_ship, library, no_folder_yet, ship, shipped};
use model::error::Error;

pub type Variables = Vec<(&'static str, OsString)>;

/// Arguments that make a launcher pass the variables to its ranks.
pub fn arguments(launcher: Launcher, variables: &Variables) -> Vec<OsString> {
    match launcher {
        Launcher::Openmpi => launchers::of_openmpi(variables),
        Launcher::Mpich => launchers::of_hydra(variables),
        Launcher::Slurm => launchers::of_srun(variables),
        Launcher::Flux => launchers::of_flux(variables),
        Launcher::Aprun => launchers::of_aprun(variables),
        Launcher::Pals => launchers::of_pals(variables),
    }
}

/// Does what `env NAME=VALUE...` in front of the command would do, so that the variables it sets are this process's own.
/// Leaves a command with options of env as it is. There must be only one thread.
pub fn adopt_environment(command: &mut Vec<OsString>) {
    let is_env = command.first().is_some_and(|word| Path::new(word).file_name() == Some(OsStr::new("env")));
    let set = command.iter().skip(1).take_while(|word| word.as_bytes().contains(&b'=')).count();
    let is_option = |word: &OsString| word.as_bytes().starts_with(b"-");
    if !is_env || set == 0 || command.get(1 + set).is_none_or(is_option) {
        return;
    }
    for variable in command.drain(..=set).skip(1) {
        let mut parts = variable.as_bytes().splitn(2, |byte| *byte == b'=').map(OsStr::from_bytes);
        if let (Some(name), Some(value)) = (parts.next().filter(|name| !name.is_empty()), parts.next()) {
            // SAFETY: no other thread reads the environment.
            unsafe { std::env::set_var(name, value) };
        }
    }
}

/// Joins the recorder to a list of libraries to preload that the launch itself sets; `None` is the launcher's own list.
pub type JoinedPreload<'a> = dyn Fn(Option<&OsStr>) -> OsString + 'a;

/// A launcher's command with these variables added in the right place. Where it sets a list of libraries to preload, the
/// recorder is added to that list: launchers disagree on which of two lists counts.
pub fn command(
    launcher: Launcher,
    command: &[OsString],
    variables: &Variables,
    join: &JoinedPreload<'_>,
) -> Vec<OsString> {
    let changed = |words: &[OsString]| programs::with_changed(launcher, words, "LD_PRELOAD", join);
    let programs: Vec<Vec<OsString>> = command[1..].split(|word| word == ":").map(changed).collect();
    let command = &[&command[..1], &programs.join(&OsString::from(":"))].concat();
    match launcher {
        Launcher::Slurm => launchers::srun_command(command, variables),
        Launcher::Flux => launchers::flux_command(command, variables),
        Launcher::Openmpi => launchers::openmpi_command(command, variables, join),
        Launcher::Pals => in_front(command, &arguments(launcher, variables), |word| word == ":"),
        Launcher::Mpich | Launcher::Aprun => in_front(command, &arguments(launcher, variables), |_| false),
    }
}

/// True if some processes get the launcher's own environment: those that ranks spawn, or the programs of a file.
pub fn hands_on_own_environment(launcher: Launcher, command: &[OsString]) -> bool {
    launcher == Launcher::Openmpi && launchers::openmpi_hands_on_own_environment(command)
}

/// Finds a program by its path, or in PATH.
pub fn find(program: &OsStr) -> Option<PathBuf> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(PathBuf::from(program)).filter(|path| path.exists());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(Path::new(program))).find(|path| path.is_file())
}

/// True if a word names a file that can be run.
pub fn is_executable(word: &OsStr) -> bool {
    let is_program = |data: fs::Metadata| data.is_file() && data.permissions().mode() & 0o111 != 0;
    find(word).and_then(|path| fs::metadata(path).ok()).is_some_and(is_program)
}

/// Adds the arguments after the launcher's name, and after each word that `separates` programs.
fn in_front(command: &[OsString], arguments: &[OsString], separates: impl Fn(&OsString) -> bool) -> Vec<OsString> {
    let mut whole = Vec::new();
    for (at, word) in command.iter().enumerate() {
        whole.push(word.clone());
        if at == 0 || separates(word) {
            whole.extend_from_slice(arguments);
        }
    }
    whole
}

/// `NAME=VALUE`.
fn pair(name: &str, value: &OsStr) -> OsString {
    let mut pair = OsString::from(format!("{name}="));
    pair.push(value);
    pair
}

/// Recognizes a launcher by its name and by the output of `--version`.
pub fn recognize(program: &OsStr) -> Option<Launcher> {
    let name = Path::new(program).file_name()?.to_str()?;
    match name {
        "srun" => return Some(Launcher::Slurm),
        "flux" => return Some(Launcher::Flux),
        "aprun" => return Some(Launcher::Aprun),
        "orterun" | "prterun" => return Some(Launcher::Openmpi),
        "mpiexec.hydra" => return Some(Launcher::Mpich),
        _ if name.starts_with("mpirun") || name.starts_with("mpiexec") => {}
        _ => return None,
    }
    let said = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    match () {
        _ if said.contains("Open MPI") || said.contains("OpenRTE") || said.contains("PRRTE") => Some(Launcher::Openmpi),
        _ if said.contains("PALS") => Some(Launcher::Pals),
        _ if said.contains("HYDRA") || said.contains("Intel(R) MPI") => Some(Launcher::Mpich),
        _ => None,
    }
}

/// Returns the variables for the ranks: the library preloaded, after those that a program `needs` first, and the
/// settings.
pub fn variables(library: &Path, needs: &[OsString], settings: &Settings) -> Variables {
    let mut variables = vec![("LD_PRELOAD", library::preload_list(library, needs))];
    // Programs with NVTX load the library named here. Another tool of the user's takes precedence.
    let listener = std::env::var_os("NVTX_INJECTION64_PATH").filter(|other| !other.is_empty());
    variables.push(("NVTX_INJECTION64_PATH", listener.unwrap_or_else(|| library.into())));
    variables.extend(settings_as_variables(settings));
    variables
}

fn settings_as_variables(settings: &Settings) -> Variables {
    // The user's own settings have to reach ranks on other hosts, too.
    let value = |variable| Some((variable, settings.in_force(variable)?));
    SETTINGS.iter().filter(|setting| !setting.flag.is_empty()).filter_map(|setting| value(setting.variable)).collect()
}

/// Fails if the environment has an unknown variable of ours, or a known one with a wrong value.
pub fn check_environment() -> Result<(), Error> {
    settings::check(std::env::vars_os()).map_err(Error::Setting)
}

/// Checks the variables that the launcher sets for the programs in the same way. Returns the value of the `wanted` one.
pub fn check_given(launcher: Launcher, programs: &[Vec<OsString>], wanted: &str) -> Result<Option<OsString>, Error> {
    let given = || programs.iter().flat_map(|words| programs::given_variables(launcher, words));
    settings::check(given()).map_err(Error::Setting)?;
    Ok(given().find(|(name, _)| name == wanted).map(|(_, value)| value))
}
