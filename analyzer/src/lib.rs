//! The `overhear` command: [`cli`] says what a user types, [`commands`] carry it out, [`launch`] knows how launchers pass the
//! environment on.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! main lib
//! commands
//! launch
//! cli loading_bar
//! ```

pub mod cli;
pub mod commands;
pub mod launch;
mod loading_bar;
