//! The machine that tests are meant for, and where what is built for it lies.

use std::path::PathBuf;

/// Another machine that tests may be meant for, as rustc calls it.
pub const AARCH64: &str = "aarch64-unknown-linux-gnu";
/// The variable that holds it then.
pub const VARIABLE: &str = "TEST_TARGET";

/// Whether that is meant rather than this machine.
pub fn is_aarch64_meant() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|machine| machine == AARCH64)
}

/// The workspace's folder.
pub fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is where it was built")
}

/// Cargo's folder for what is built, where everything made for tests goes too.
pub fn target() -> PathBuf {
    if is_aarch64_meant() { aarch64_target() } else { host_target() }
}

/// That of this machine, whatever machine is meant.
pub fn host_target() -> PathBuf {
    workspace().join("target")
}

/// That of the other machine.
pub fn aarch64_target() -> PathBuf {
    host_target().join(AARCH64)
}
