//! `cargo xtask golden`: shows how golden files differ from what is printed now, and accepts those named.

use std::path::Path;
use std::process::Command;

use examples::golden::{accept, named, pending, pending_copy};
use examples::workspace;

/// Without names, shows all that is pending.
pub fn run(names: &[String]) -> Result<(), String> {
    if names.is_empty() {
        let pending = pending();
        for golden in &pending {
            show(golden)?;
        }
        println!("{} golden files are pending; cargo xtask golden NAME accepts one", pending.len());
        return Ok(());
    }
    // All names are known before the first is accepted.
    let accepted = names.iter().map(|name| named(name)).collect::<Result<Vec<_>, String>>()?;
    for golden in accepted {
        accept(&golden)?;
        println!("accepted {}", golden.strip_prefix(workspace()).unwrap_or(&golden).display());
    }
    Ok(())
}

/// Prints a text's difference, and of a picture both paths.
fn show(golden: &Path) -> Result<(), String> {
    let here = |path: &Path| path.strip_prefix(workspace()).unwrap_or(path).to_path_buf();
    let (was, is) = (here(golden), here(&pending_copy(golden)));
    if golden.extension().is_some_and(|ending| ending == "png") {
        println!("{}: look at it, and at {}", was.display(), is.display());
        return Ok(());
    }
    let was = if golden.exists() { was } else { "/dev/null".into() };
    let mut diff = Command::new("git");
    diff.args(["--no-pager", "diff", "--no-index", "--no-ext-diff", "--"]).arg(was).arg(is);
    // Status 1 says that they differ.
    match diff.current_dir(workspace()).status() {
        Ok(status) if matches!(status.code(), Some(0 | 1)) => Ok(()),
        Ok(status) => Err(format!("{diff:?}: {status}")),
        Err(error) => Err(format!("{diff:?}: {error}")),
    }
}
