//! What the system counted for the thread that initialized MPI, between the recorder's first and last reading.

use traces::definitions::UsageMoment;

use super::Rank;

/// An event that was counted.
pub struct CountedEvent<'r> {
    pub name: &'r str,
    /// How often it happened, scaled to all of the time if it had a counter for a part of it.
    pub count: u64,
    /// Share of the thread's processor time in which it had a counter, 0 to 1.
    pub share: f64,
    /// Seconds between the readings.
    pub wall: f64,
}

impl Rank {
    /// The events that were counted between the end of MPI_Init and the start of MPI_Finalize, or until the last full page of records.
    pub fn counted(&self) -> Vec<CountedEvent<'_>> {
        let mut readings = self.counter_readings.iter().skip_while(|one| one.moment != UsageMoment::Initialized);
        let Some(first) = readings.next() else { return Vec::new() };
        let Some(last) = readings.last().filter(|last| last.ticks > first.ticks) else { return Vec::new() };
        let wall = self.clock.seconds(last.ticks - first.ticks);
        let names = self.asked_events.iter().filter(|event| event.problem.is_empty());
        let between = names.zip(first.values.iter().zip(&last.values));
        let counted = between.map(|(event, (first, last))| {
            let [count, enabled, running] =
                [(first.value, last.value), (first.enabled, last.enabled), (first.running, last.running)]
                    .map(|(first, last)| last.saturating_sub(first) as f64);
            let share = if enabled > 0.0 { (running / enabled).min(1.0) } else { 0.0 };
            let count = if share > 0.0 { (count / share) as u64 } else { 0 };
            CountedEvent { name: &event.name, count, share, wall }
        });
        counted.collect()
    }
}
