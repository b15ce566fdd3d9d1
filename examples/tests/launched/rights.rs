//! Programs with more rights than their user: the system preloads nothing into them, and overhear says so.

use std::fs;
use std::io::{Write, stderr};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::command::write_executable;
use examples::run::{Output, finish, fresh_folder, overhear};

/// A copy of a program, to be given rights.
fn program(name: &str) -> PathBuf {
    let folder = fresh_folder(name);
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("program");
    write_executable(&program, &fs::read("/bin/true").unwrap()).unwrap();
    program
}

/// Prints that something was skipped, past cargo's capture of output.
fn not_shown(what: &str, why: &str) {
    let _ = writeln!(stderr(), "SKIPPED: {what} is not shown here: {why}");
}

fn record(program: &Path) -> Command {
    let mut command = Command::new(overhear());
    command.args(["record", "--"]).arg(program);
    command
}

fn assert_said(output: &Output, rights: &str) {
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stderr.contains(rights), "{}", output.stderr);
}

#[test]
fn a_program_that_runs_as_another_user_or_group_is_said_to_be_out_of_reach() {
    // The owner matters, and only root may change it.
    let script = "chown 1:1 $0 && chmod $1 $0";
    for (mode, rights) in [("4755", "runs as another user"), ("2755", "runs as another group")] {
        let program = program("rights");
        let as_root = ["--user", "--map-auto", "--map-root-user", "sh", "-c", script];
        let mut made = finish(Command::new("unshare").args(as_root).arg(&program).arg(mode));
        if made.status != 0 {
            made = finish(Command::new("sh").args(["-c", script]).arg(&program).arg(mode));
        }
        if made.status != 0 {
            return not_shown(rights, &made.stderr);
        }
        assert_said(&finish(&mut record(&program)), rights);
    }
}

/// User id other than root's.
const NOBODY: u32 = 65534;

#[test]
fn a_program_with_capabilities_is_said_to_be_out_of_reach_to_all_but_root() {
    let program = program("capabilities");
    let name = std::ffi::CString::new(program.as_os_str().as_encoded_bytes()).unwrap();
    // As in linux/capability.h: version 2, CAP_NET_BIND_SERVICE permitted, none inherited.
    let capability = [0x0200_0000u32, 1 << 10, 0, 0, 0];
    let attribute = c"security.capability".as_ptr();
    // SAFETY: sets an attribute of a file; the length is that of `capability`.
    let set =
        unsafe { libc::setxattr(name.as_ptr(), attribute, capability.as_ptr().cast(), size_of_val(&capability), 0) };
    if set != 0 {
        return not_shown("setcap", &std::io::Error::last_os_error().to_string());
    }
    let rights = "has capabilities of its own";
    assert_said(&finish(record(&program).uid(NOBODY).gid(NOBODY)), rights);
    let output = finish(&mut record(&program));
    assert!(!output.stderr.contains(rights), "{}", output.stderr);
}
