//! The `overhear` command: [`cli`] defines the command line, [`commands`] carry it out, [`launch`] passes the
//! environment on through launchers.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! main lib
//! commands
//! launch
//! analysis_notice
//! cli loading_bar
//! ```

mod analysis_notice;
pub mod cli;
pub mod commands;
pub mod launch;
mod loading_bar;
