//! Tries the archive as a user of an old system does: records and reports in a Debian root with an MPI and without
//! Rust.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::wheel::run as done;
use examples::{packages, target, workspace};

/// Oldest release on Debian's mirrors; it has glibc 2.31.
const RELEASE: &str = "bullseye";

/// Packages in the root: a compiler and an MPI, and readers of manual pages and completions.
const PACKAGES: &str = "bash-completion,fish,gcc,libc6-dev,libmpich-dev,man-db,mpich,zsh";

/// Enters the root in a new process namespace, so its processes end with it.
const ENTER: &str = r#"
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
exec env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin chroot "$0" sh /tmp/tried.sh "$1"
"#;

/// Tries the archive. Needs root, and minutes the first time.
pub fn run(archive: &Path, has_polars: bool) -> Result<(), String> {
    let root = root()?;
    let put = |from: &Path, name: &str| {
        let copied = fs::copy(from, root.join("tmp").join(name));
        copied.map(drop).map_err(|error| format!("{}: {error}", from.display()))
    };
    put(archive, "archive.tar.gz")?;
    put(&workspace().join("docs/guide/wavefront.c"), "wavefront.c")?;
    put(&workspace().join("xtask/src/dist/tried.sh"), "tried.sh")?;
    let mut enter = Command::new("unshare");
    enter.args(["--mount", "--pid", "--fork", "sh", "-e", "-c", ENTER]).arg(&root);
    done(enter.arg(if has_polars { "polars" } else { "plain" }))
}

/// Returns the Debian root, built if it is missing.
fn root() -> Result<PathBuf, String> {
    let root = target().join("dist").join(RELEASE);
    if !root.join("ready").exists() {
        packages::install(&["debootstrap"])?;
        let _ = fs::remove_dir_all(&root);
        let mut debootstrap = Command::new("debootstrap");
        done(debootstrap.arg("--variant=minbase").arg(format!("--include={PACKAGES}")).arg(RELEASE).arg(&root))?;
        let write = |name: &str, text: &[u8]| {
            let path = root.join(name);
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
        };
        // MPICH resolves its own host name.
        let host = fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
        write("etc/hosts", &[b"127.0.0.1 localhost ", &host[..]].concat())?;
        write("ready", b"")?;
    }
    Ok(root)
}
