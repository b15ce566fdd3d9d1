//! What the README shows is what the command says.

use std::path::Path;
use std::process::Command;

const COMMAND: &str = "    overhear report traces/samples/integer_sort-openmpi";

#[test]
fn the_report_that_the_readme_shows_is_the_samples() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let readme = std::fs::read_to_string(project.join("README.md")).unwrap();
    let words = COMMAND.split_whitespace().skip(1);
    let said = Command::new(env!("CARGO_BIN_EXE_overhear")).args(words).current_dir(project).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let behind = readme.lines().skip_while(|line| *line != COMMAND).skip(2);
    let shown: Vec<&str> = behind.take_while(|line| line.trim() != "...").map(|line| line.trim()).collect();
    assert!(shown.len() > 10, "{shown:#?}");
    let said: Vec<&str> = said.lines().take(shown.len()).map(str::trim).collect();
    assert_eq!(shown, said);
}
