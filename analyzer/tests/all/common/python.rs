//! Scripts that read with a library of PyPI.

use std::io::Write;
use std::process::{Command, Stdio};

use examples::wheel::Wheel;

/// Output of a script that finds the library and reads the text. Panics if it fails.
pub fn python(library: &Wheel, script: &str, text: &str) -> String {
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", library.folder()).args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = python.spawn().unwrap();
    python.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "{text}");
    String::from_utf8(output.stdout).unwrap()
}
