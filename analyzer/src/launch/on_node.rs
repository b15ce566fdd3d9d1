//! Runs this command on another node of the run, by ssh or by srun within the run's job.

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};

use traces::error::in_words;

use super::find;
use crate::cli::NodeLauncher;
use model::error::Error;

/// `$0` is this command's path, `$@` its arguments. On the node the command may be elsewhere.
const OURS_OR_ON_PATH: &str = r#"if [ -x "$0" ]; then exec "$0" "$@"; else exec overhear "$@"; fi"#;

/// Fails if commands cannot be started on other nodes from here.
pub fn check(launcher: NodeLauncher) -> Result<(), Error> {
    let name = name(launcher);
    if find(OsStr::new(name)).is_none() {
        return Err(Error::Setting(format!(
            "--launcher {name}: no {name} in PATH. Name another launcher, or leave it out"
        )));
    }
    // Without a job, srun requests nodes of its own and waits for them.
    if launcher == NodeLauncher::Srun && env::var_os("SLURM_JOB_ID").is_none_or(|job| job.is_empty()) {
        let how = "set SLURM_JOB_ID to the job of the run (squeue --me lists yours), or use --launcher ssh";
        return Err(Error::Setting(format!("--launcher srun: which job? {how}")));
    }
    Ok(())
}

/// Runs this command with these words on a node, without input. Fails if `node` cannot be a host name.
pub fn command(launcher: NodeLauncher, node: &str, words: &[OsString]) -> Result<Command, Error> {
    // The name comes from a file: it must not be an option or shell code.
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if node.is_empty() || node.starts_with('-') || !node.bytes().all(is_of_name) {
        return Err(Error::Other(format!("{node:?} is no name of a host")));
    }
    let ours = env::current_exe().map_err(|error| Error::Other(format!("where overhear is: {}", in_words(&error))))?;
    let script = ["/bin/sh", "-c", OURS_OR_ON_PATH].map(OsString::from);
    let whole = script.into_iter().chain([ours.into_os_string()]).chain(words.iter().cloned());
    let mut command = Command::new(name(launcher));
    match launcher {
        // The user's shell on the node must read these words unchanged.
        NodeLauncher::Ssh => {
            let quoted: Vec<OsString> = whole.map(|word| quoted(&word)).collect();
            command.args(["-T", "-o", "BatchMode=yes", "--", node]).arg(quoted.join(OsStr::new(" ")))
        }
        NodeLauncher::Srun => command
            .args(["--overlap", "--nodes=1", "--ntasks=1", "--input=none"])
            .args([format!("--jobid={}", env::var("SLURM_JOB_ID").unwrap_or_default()), nodelist(node)])
            .args(whole),
    };
    command.stdin(Stdio::null());
    Ok(command)
}

/// Name on the command line.
pub const fn name(launcher: NodeLauncher) -> &'static str {
    match launcher {
        NodeLauncher::Srun => "srun",
        NodeLauncher::Ssh => "ssh",
    }
}

/// Slurm names nodes by the host name up to the first dot, unless configured otherwise.
fn nodelist(node: &str) -> String {
    format!("--nodelist={}", node.split('.').next().unwrap_or(node))
}

fn quoted(word: &OsStr) -> OsString {
    let mut quoted = OsString::from("'");
    let parts = word.as_encoded_bytes().split(|byte| *byte == b'\'');
    for (at, part) in parts.enumerate() {
        if at > 0 {
            quoted.push(r"'\''");
        }
        quoted.push(std::os::unix::ffi::OsStrExt::from_bytes(part) as &OsStr);
    }
    quoted.push("'");
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> Vec<String> {
        command.get_args().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_shell_makes_the_same_words_of_what_ssh_hands_to_it() {
        let words: Vec<OsString> = ["top", "--feed", "it's $HOME; `a` \"b\" \\ *", ""].map(OsString::from).into();
        let line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(OsStr::new(" "));
        let mut script = OsString::from("printf '%s\\n' ");
        script.push(line);
        let printed = Command::new("/bin/sh").arg("-c").arg(script).output().unwrap();
        let expected = words.iter().map(|word| format!("{}\n", word.to_string_lossy())).collect::<String>();
        assert_eq!(String::from_utf8(printed.stdout).unwrap(), expected);
    }

    #[test]
    fn a_node_is_named_behind_all_options_and_never_is_one() {
        let ssh = command(NodeLauncher::Ssh, "n-1.cluster", &["top".into()]).unwrap();
        let of_ssh = words(&ssh);
        assert_eq!(of_ssh[..5], ["-T", "-o", "BatchMode=yes", "--", "n-1.cluster"]);
        assert!(of_ssh[5].starts_with("'/bin/sh' '-c' 'if [ -x ") && of_ssh[5].ends_with(" 'top'"), "{of_ssh:?}");
        assert!(words(&command(NodeLauncher::Srun, "n-1.cluster", &[]).unwrap()).contains(&"--nodelist=n-1".into()));
        for node in ["-oProxyCommand=x", "", "a b", "a;b", "a,b", "user@a"] {
            for launcher in [NodeLauncher::Ssh, NodeLauncher::Srun] {
                assert!(command(launcher, node, &[]).is_err(), "{node}");
            }
        }
    }
}
