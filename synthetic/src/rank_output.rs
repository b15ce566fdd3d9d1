//! A rank's file of either kind: of each call, or of counts and times.

use std::io;

use super::output::TraceOutput;
use super::profile::ProfileOutput;

pub enum RankOutput {
    Trace(TraceOutput),
    Profile(ProfileOutput),
}

impl RankOutput {
    pub fn call(&mut self, signature: u32, start: u64, duration: u64) -> io::Result<()> {
        match self {
            RankOutput::Trace(output) => output.call(signature, start, duration)?,
            RankOutput::Profile(output) => output.call(signature, duration),
        }
        Ok(())
    }

    pub fn starts(&mut self, signature: u32, start: u64, duration: u64) -> io::Result<()> {
        match self {
            RankOutput::Trace(output) => output.starts(signature, start, duration)?,
            RankOutput::Profile(output) => output.call(signature, duration),
        }
        Ok(())
    }

    /// The file that takes completions and results of calls, which counts and times do not tell.
    pub fn trace(&mut self) -> Option<&mut TraceOutput> {
        match self {
            RankOutput::Trace(output) => Some(output),
            RankOutput::Profile(_) => None,
        }
    }
}
