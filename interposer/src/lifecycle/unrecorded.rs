//! Says why a process is not recorded.

use super::folder;
use crate::config;
use crate::messages;

/// Tells the user the reason on stderr, or in the run's folder if the process must be silent and the folder is there. One of a
/// launch's processes speaks for all.
pub fn tell(reason: &str) {
    if config::launcher_rank().unwrap_or(0) != 0 {
        return;
    }
    if config::must_be_silent() && (folder::leave_message(reason) || config::is_under_hydra()) {
        return;
    }
    messages::say(reason);
}
