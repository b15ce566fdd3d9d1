//! Installs Debian packages.

use std::process::{Command, Stdio};

use crate::wheel::run;

/// Installs the missing ones of these packages.
pub fn install(packages: &[impl AsRef<str>]) -> Result<(), String> {
    let missing: Vec<&str> = packages.iter().map(AsRef::as_ref).filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("bringing {} from Debian", missing.join(", "));
    let installed = run(&mut apt("update"))
        .and_then(|()| run(apt("install").args(["--yes", "--no-install-recommends"]).args(&missing)));
    installed.map_err(|reason| format!("{missing:?} did not install, which takes root on Debian or Ubuntu: {reason}"))
}

fn apt(command: &str) -> Command {
    let mut apt = Command::new("apt-get");
    apt.args(["--quiet=2", "--option", "DPkg::Lock::Timeout=300", command])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdout(Stdio::null());
    apt
}

fn is_installed(package: &str) -> bool {
    let asked = Command::new("dpkg-query").args(["--show", "--showformat=${db:Status-Status}", package]).output();
    asked.is_ok_and(|output| output.stdout == b"installed")
}
