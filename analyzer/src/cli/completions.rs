//! The arguments of `completions` and `man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// The argument of `completions`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: Shell,
}

/// The argument of `man`.
#[derive(Args)]
pub struct ManArgs {
    /// The folder for the pages, which is made if it is not there
    #[arg(value_name = "OUT")]
    pub folder: PathBuf,
}
