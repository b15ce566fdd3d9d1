//! Files of an installation beside the command: the recorder, completions and manual pages of every command, and the
//! guide.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use analyzer::cli::{GROUPS, command};
use object::Object;

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

/// Installs this command, which also stands for the recorder.
fn install(prefix: &Path) {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut install = Command::new(project.join("packaging/install.sh"));
    let output = install.arg(prefix).args([env!("CARGO_BIN_EXE_overhear"); 2]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn an_installation_that_was_moved_finds_its_library_through_a_link() {
    let folder = Folder::new();
    let (first, moved) = (folder.0.join("first"), folder.0.join("moved"));
    install(&first);
    fs::rename(&first, &moved).unwrap();
    let link = folder.0.join("link");
    symlink(moved.join("bin/overhear"), &link).unwrap();
    let library = moved.join("lib/liboverhear.so").canonicalize().unwrap();
    for command in [moved.join("bin/overhear"), link] {
        let output = Command::new(&command).args(["env", "--launcher", "openmpi"]).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains(&format!("-x LD_PRELOAD={}", library.display())), "{}: {said}", command.display());
    }
}

#[test]
fn command_and_library_have_no_symbols_and_name_a_file_that_has_them() {
    let folder = Folder::new();
    install(&folder.0);
    for name in ["bin/overhear", "lib/liboverhear.so"] {
        let path = folder.0.join(name);
        let bytes = fs::read(&path).unwrap();
        let stripped = object::File::parse(&*bytes).unwrap();
        assert_eq!(stripped.symbols().count(), 0, "{name}");
        let (debug, _) = stripped.gnu_debuglink().unwrap().unwrap();
        let debug = path.with_file_name(".debug").join(str::from_utf8(debug).unwrap());
        let bytes = fs::read(&debug).unwrap_or_else(|error| panic!("{}: {error}", debug.display()));
        assert!(object::File::parse(&*bytes).unwrap().symbols().count() > 1000, "{name}");
    }
}

#[test]
fn an_installation_has_manual_pages_completions_and_all_that_the_guide_leads_to() {
    let folder = Folder::new();
    install(&folder.0);
    let share = folder.0.join("share");
    for file in [
        "man/man1/overhear-waits.1",
        "bash-completion/completions/overhear",
        "zsh/site-functions/_overhear",
        "fish/vendor_completions.d/overhear.fish",
        "../include/overhear.h",
    ] {
        assert!(fs::metadata(share.join(file)).is_ok_and(|found| found.len() > 0), "{file}");
    }
    let documents = share.join("doc/overhear");
    let guide = fs::read_dir(documents.join("docs/guide")).unwrap().map(|entry| entry.unwrap().path());
    let mut links = 0;
    for page in guide.chain([documents.join("README.md")]).filter(|page| page.extension().unwrap() == "md") {
        let text = fs::read_to_string(&page).unwrap();
        let leads_to = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for to in leads_to.filter(|to| !to.is_empty() && !to.contains("://")) {
            assert!(page.with_file_name(to).exists(), "{} leads to {to}", page.display());
            links += 1;
        }
    }
    assert!(links > 20, "{links}");
}
