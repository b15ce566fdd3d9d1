//! Tries each limit of the rules. The trial is a bench of the analyses, since the lab links none of them.

use std::path::{self, PathBuf};

use examples::build::cargo;
use examples::wheel::run as done;

pub fn run(folders: &[PathBuf]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "overhear", "--bench", "sensitivity", "--"]);
    for folder in folders {
        bench.arg(path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display()))?);
    }
    done(&mut bench)
}
