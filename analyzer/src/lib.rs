//! The `overhear` command: [`cli`] says what a user types, [`commands`] carry it out, [`launch`] knows how launchers pass the
//! environment on.

pub mod cli;
pub mod commands;
pub mod launch;
mod loading_bar;
