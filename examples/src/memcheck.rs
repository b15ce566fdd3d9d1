//! Runs programs with the recorder under valgrind's memcheck, and finds the recorder's errors.

use std::fs;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

use crate::run::{Case, Output, Run, fresh_folder};

const VALGRIND: &str = "/usr/bin/valgrind";
/// Seconds until a program is killed; errors up to then count.
const SECONDS: &str = "90";

#[derive(Debug)]
pub struct CheckedProgram {
    /// Output and exit status of the program.
    pub output: Output,
    /// Recording of the program.
    pub run: Run,
    pub processes: usize,
    /// All errors, the recorder's and those of others.
    pub errors: usize,
    /// The recorder's errors, including those in C library functions that it called.
    pub ours: Vec<String>,
}

const END: &str = "</valgrindoutput>";
const ERROR_END: &str = "</error>";
const NOTHING: &str = "<valgrindoutput/>";

/// valgrind is installed.
pub fn is_here() -> bool {
    Path::new(VALGRIND).exists()
}

/// Runs a program with the recorder and all its ranks under memcheck.
///
/// # Errors
/// If valgrind's output cannot be read.
pub fn run(case: Case, name: &str) -> Result<CheckedProgram, String> {
    let said = fresh_folder(&format!("{}-{name}-memcheck", case.mpi.name));
    fs::create_dir_all(&said).map_err(|error| format!("{}: {error}", said.display()))?;
    let mut arguments: Vec<String> = [SECONDS, VALGRIND, "--quiet", "--error-limit=no", "--num-callers=40"]
        .into_iter()
        .chain(["--child-silent-after-fork=yes", "--xml=yes"])
        .map(String::from)
        .collect();
    arguments.push(format!("--xml-file={}/%p.xml", said.display()));
    arguments.push(case.path.display().to_string());
    arguments.extend(case.arguments);
    let (output, run) = Case { path: "/usr/bin/timeout".into(), arguments, ..case }.recorded(name);
    let mut checked = CheckedProgram { output, run, processes: 0, errors: 0, ours: Vec::new() };
    for file in fs::read_dir(&said).into_iter().flatten().flatten() {
        checked.read(&file.path()).map_err(|error| format!("{}: {error}", file.path().display()))?;
    }
    Ok(checked)
}

impl CheckedProgram {
    fn read(&mut self, file: &PathBuf) -> Result<(), String> {
        let mut text = fs::read_to_string(file).map_err(|error| error.to_string())?;
        // A killed process leaves its report without an end.
        if !text.contains(END) {
            text.truncate(text.rfind(ERROR_END).map_or(0, |at| at + ERROR_END.len()));
            text.push_str(if text.is_empty() { NOTHING } else { END });
        }
        let document = Document::parse(&text).map_err(|error| error.to_string())?;
        let errors: Vec<Node> = document.descendants().filter(is_error).collect();
        self.processes += 1;
        self.errors += errors.len();
        self.ours.extend(errors.iter().filter(|error| is_ours(error)).map(described));
        Ok(())
    }
}

fn is_error(node: &Node) -> bool {
    node.has_tag_name("error") && child_text(node, "kind") != KEPT
}

/// valgrind's name for memory with interior pointers only, as a hash table's is.
const KEPT: &str = "Leak_PossiblyLost";

/// The innermost code of an error is the recorder's. The loader reads paths in whole words, for every caller; the
/// contents of MPI's socket messages are MPI's.
fn is_ours(error: &Node) -> bool {
    let is_passed_on = |frame: &Node| child_text(frame, "fn").starts_with("overhear::progress::sockets::");
    if child_text(error, "kind") == "SyscallParam" && frames(error).iter().any(is_passed_on) {
        return false;
    }
    let mut objects = frames(error).into_iter().map(|frame| child_text(&frame, "obj"));
    let is_system = |object: &str| ["/libc.so", "/vgpreload"].iter().any(|part| object.contains(part));
    objects.find(|object| !is_system(object)).is_some_and(|object| object.ends_with("liboverhear.so"))
}

/// The error's stack, innermost frame first.
fn frames<'a, 'd>(error: &Node<'a, 'd>) -> Vec<Node<'a, 'd>> {
    let stack = error.children().find(|node| node.has_tag_name("stack"));
    stack.into_iter().flat_map(|stack| stack.children().filter(|node| node.has_tag_name("frame"))).collect()
}

fn described(error: &Node) -> String {
    let frames: Vec<String> = frames(error).iter().take(6).map(|frame| child_text(frame, "fn")).collect();
    format!("{} in {}", child_text(error, "kind"), frames.join(" < "))
}

fn child_text(node: &Node, tag: &str) -> String {
    let child = node.children().find(|child| child.has_tag_name(tag));
    child.and_then(|child| child.text()).unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_in(objects: &[&str]) -> bool {
        let frames: String =
            objects.iter().map(|object| format!("<frame><obj>/lib/{object}</obj><fn>f</fn></frame>")).collect();
        is_error_of_ours("UninitCondition", &frames)
    }

    fn is_error_of_ours(kind: &str, frames: &str) -> bool {
        let text = format!("<error><kind>{kind}</kind><stack>{frames}</stack></error>");
        is_ours(&Document::parse(&text).unwrap().root_element())
    }

    #[test]
    fn an_error_is_of_what_called_the_c_library() {
        assert!(error_in(&["vgpreload_memcheck-amd64-linux.so", "libc.so.6", "liboverhear.so", "libmpi.so.40"]));
        assert!(!error_in(&["libc.so.6", "libmpi.so.40", "liboverhear.so"]));
    }

    #[test]
    fn what_mpi_sends_by_a_socket_is_not_the_recorders() {
        let frames = "<frame><obj>/lib/libc.so.6</obj><fn>send</fn></frame>\
            <frame><obj>/lib/liboverhear.so</obj><fn>overhear::progress::sockets::send</fn></frame>";
        assert!(!is_error_of_ours("SyscallParam", frames));
        assert!(is_error_of_ours("UninitCondition", frames));
    }
}
