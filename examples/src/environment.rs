//! Python's virtual environments, with packages of PyPI.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::wheel::run;

pub struct Environment(PathBuf);

impl Environment {
    /// An environment in `folder` with these packages (names with versions, or wheels). It is reused if it was created
    /// with the same packages.
    pub fn with(folder: &Path, packages: &[&str]) -> Result<Environment, String> {
        let made = folder.join("packages");
        if fs::read_to_string(&made).is_ok_and(|made| made == packages.join(" ")) {
            return Ok(Environment(folder.into()));
        }
        Environment::fresh(folder, packages).inspect(|_| {
            // If this fails, the next call creates the environment again.
            let _ = fs::write(&made, packages.join(" "));
        })
    }

    /// Creates the environment anew.
    pub fn fresh(folder: &Path, packages: &[&str]) -> Result<Environment, String> {
        eprintln!("bringing {} from PyPI", packages.join(", "));
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
        let environment = Environment(folder.into());
        let mut pip = Command::new(environment.program("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]);
        run(pip.args(packages))?;
        Ok(environment)
    }

    pub fn program(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    pub fn programs(&self) -> PathBuf {
        self.0.join("bin")
    }
}
