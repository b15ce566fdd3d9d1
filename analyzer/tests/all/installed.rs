//! What an installation brings beside the command: completions and manual pages of every command.

use std::fs;
use std::process::Command;

use analyzer::cli::{GROUPS, command};

use crate::common::Folder;

fn overhear(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_overhear")).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn shells_complete_every_command_and_each_has_a_manual_page() {
    let folder = Folder::new();
    overhear(&["man", folder.0.join("man1").to_str().unwrap()]);
    let completions = ["bash", "zsh", "fish"].map(|shell| overhear(&["completions", shell]));
    let mut ran = 0;
    for command in command().get_subcommands() {
        let (name, about) = (command.get_name(), command.get_about().unwrap().to_string());
        let page = fs::read_to_string(folder.0.join(format!("man1/overhear-{name}.1"))).unwrap();
        assert!(page.contains(&format!(".TH overhear-{name} 1")), "{page}");
        let plain = page.replace("\\*(Aq", "'").replace('\\', "");
        assert!(plain.contains(&about), "{name}: {plain}");
        assert!(completions.iter().all(|text| text.contains(name)), "{name}");
        ran += 1;
    }
    assert!(ran > 20, "{ran}");
    assert!(fs::read_to_string(folder.0.join("man1/overhear.1")).unwrap().contains("overhear\\-waits(1)"));
}

#[test]
fn help_shows_every_command_once_and_fits_into_eighty_columns() {
    let help = overhear(&["--help"]);
    let mut shown: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    shown.sort_unstable();
    let command = command();
    let mut known: Vec<&str> = command.get_subcommands().map(|one| one.get_name()).chain(["help"]).collect();
    known.sort_unstable();
    assert_eq!(shown, known);
    for name in known {
        assert_eq!(help.matches(&format!("\n  {name} ")).count(), 1, "{name}: {help}");
    }
    let wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}
