//! The tested machine, and the folders of what is built for it.

use std::path::PathBuf;

/// rustc's name of the other machine that tests may target.
pub const AARCH64: &str = "aarch64-unknown-linux-gnu";
/// Variable that selects the other machine.
pub const VARIABLE: &str = "TEST_TARGET";

/// True if tests target aarch64 instead of this machine.
pub fn is_aarch64_meant() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|machine| machine == AARCH64)
}

pub fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is where it was built")
}

/// Cargo's target folder of the tested machine; all test files go there, too.
pub fn target() -> PathBuf {
    if is_aarch64_meant() { aarch64_target() } else { host_target() }
}

/// Target folder of this machine, whatever the tests target.
pub fn host_target() -> PathBuf {
    workspace().join("target")
}

/// Target folder of the other machine.
pub fn aarch64_target() -> PathBuf {
    host_target().join(AARCH64)
}
