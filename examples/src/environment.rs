//! Virtual environments of Python, with packages of PyPI.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::wheel::run;

/// One of them.
pub struct Environment(PathBuf);

impl Environment {
    /// The one in a folder with these packages: what pip takes, as names with versions or files of wheels. A new one unless it was made with the same.
    pub fn with(folder: &Path, packages: &[&str]) -> Result<Environment, String> {
        let made = folder.join("packages");
        if fs::read_to_string(&made).is_ok_and(|made| made == packages.join(" ")) {
            return Ok(Environment(folder.into()));
        }
        Environment::fresh(folder, packages).inspect(|_| {
            // Where that fails it is made once more.
            let _ = fs::write(&made, packages.join(" "));
        })
    }

    /// The same, new.
    pub fn fresh(folder: &Path, packages: &[&str]) -> Result<Environment, String> {
        eprintln!("bringing {} from PyPI", packages.join(", "));
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
        let environment = Environment(folder.into());
        let mut pip = Command::new(environment.program("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]);
        run(pip.args(packages))?;
        Ok(environment)
    }

    /// A program in it.
    pub fn program(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    /// Where all of them are.
    pub fn programs(&self) -> PathBuf {
        self.0.join("bin")
    }
}
