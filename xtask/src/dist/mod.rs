//! The archive for users: command, recorder, manual pages, completions, guide, licences. It works from any folder, on
//! glibc 2.17 and later. A second archive has the debug information of both, and is unpacked over the first.

mod licences;
mod tried;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::wheel::{output, run as done};
use examples::{glibc, target, workspace};

use crate::portable::{self, emptied};

/// Builds the archive, and tries it if asked.
pub fn run(has_polars: bool, is_tried: bool) -> Result<(), String> {
    let [archive, debug] = make(has_polars)?;
    println!("{}\n{}", archive.display(), debug.display());
    if is_tried { tried::run(&archive, has_polars) } else { Ok(()) }
}

fn make(has_polars: bool) -> Result<[PathBuf; 2], String> {
    let command = portable::command(&portable::tools()?, has_polars)?;
    let name = format!("overhear-{}-{}-linux", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    let root = target().join("dist").join(&name);
    emptied(&root)?;
    let library = portable::built_library()?;
    [&command, &library].into_iter().try_for_each(|path| check_glibc(path))?;
    done(Command::new(workspace().join("packaging/install.sh")).args([&root, &command, &library]))?;
    let licences = root.join("share/doc/overhear/THIRD-PARTY.md");
    fs::write(&licences, licences::text(has_polars)?).map_err(|error| format!("{}: {error}", licences.display()))?;
    let all: &[&str] = &["--exclude=.debug", &name];
    let debug: &[&str] = &[&format!("{name}/bin/.debug"), &format!("{name}/lib/.debug")];
    Ok([pack(&root, "", all)?, pack(&root, "-debug", debug)?])
}

fn check_glibc(path: &Path) -> Result<(), String> {
    match glibc::needed(path)? {
        needed if needed <= glibc::OLDEST => Ok(()),
        (major, minor) => Err(format!("{} needs glibc {major}.{minor}; the archive promises 2.17", path.display())),
    }
}

/// Packs what these arguments of tar name beside `root`. Archives of one commit are identical to the byte, as far as compilers allow.
fn pack(root: &Path, kind: &str, named: &[&str]) -> Result<PathBuf, String> {
    let time = output(Command::new("git").current_dir(workspace()).args(["log", "-1", "--format=%ct"]))?;
    let archive = PathBuf::from(format!("{}{kind}.tar.gz", root.display()));
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+w,go-w,a+rX"]);
    tar.arg(format!("--mtime=@{}", time.trim())).arg("--use-compress-program=gzip --no-name --best");
    tar.arg("--create").arg("--file").arg(&archive).arg("--directory").arg(root.parent().unwrap_or(root));
    done(tar.args(named)).map(|()| archive)
}
