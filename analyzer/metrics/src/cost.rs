//! The time that recording took: the program's delay and, apart from it, the time that fell into waits.
//!
//! At the start, the recorder measures the cost of a call's straight line, and of an entry into the engine that achieves
//! something or nothing; here each is multiplied by its count. Work beyond the straight line is timed while it happens.
//!
//! A wait ends when another rank acts. Entries that spin until then cost time that the rank would have spun away without
//! the recorder, too, except for the last one, during which the message may have come. So one empty entry for each call
//! counts as delay, and the others count apart; likewise polls in vain that directly follow another one, with the
//! questions of `--overlap ask` in them.

use traces::progress::{INSIDE, LedgerLine, OUTSIDE};

use model::Rank;
use tables::{Fact, Value, facts};

facts! {
    DELAY = "overhear_delay_s", Seconds, sometimes,
        "How much longer the program took because of recording, about: recorded calls, entries into the progress engine that \
         achieved something, one empty entry for each call, and work that was timed, such as page turns and new objects. Of \
         the rank with the most, where a rank has several threads their mean. Without starting and ending, where that is known.";
    DELAY_PERCENT = "overhear_delay_percent", Percent, sometimes,
        "The delay by recording as a share of the rank's time without it.";
    START = "overhear_start_end_s", Seconds, sometimes,
        "How much longer MPI_Init and MPI_Finalize took because of recording, clocks' comparison included; of the rank that \
         waited least for others meanwhile. Missing in files of older recorders, where the delay includes it.";
    WAITING = "overhear_while_waiting_s", Seconds, sometimes,
        "Recording that fell into waits, all ranks: empty entries into the progress engine beyond one for each call, and polls in \
         vain that directly follow another one. It delays nobody, unless ranks share cores.";
    COST = "overhear_cost_s", Seconds, sometimes,
        "All of the recorder's own work, all ranks: what delayed them, starting and ending, and what fell into waits.";
}

pub struct RecordingCost {
    delay: f64,
    /// Unknown for a rank that did not return from MPI_Init.
    share: Option<f64>,
    /// Unknown in files of older recorders.
    start_and_end: Option<f64>,
    waiting: f64,
    all: f64,
}

/// The cost of one rank, in seconds of all its threads.
struct RankCost {
    delay: f64,
    waiting: f64,
    own_start: f64,
    start_and_end: f64,
}

impl RecordingCost {
    /// The cost of ranks, each given with its number of calls.
    pub fn of<'a>(ranks: impl Iterator<Item = (&'a Rank, u64)>) -> RecordingCost {
        let mut cost = RecordingCost { delay: 0.0, share: None, start_and_end: None, waiting: 0.0, all: 0.0 };
        for (rank, calls) in ranks {
            let of_rank = RankCost::of(rank, calls);
            let delay = of_rank.delay / rank.thread_count().max(1) as f64;
            if delay > cost.delay {
                let without = Some(rank.whole() - delay).filter(|without| *without > 0.0);
                (cost.delay, cost.share) = (delay, without.map(|without| 100.0 * delay / without));
            }
            // The last rank to arrive waits for no other.
            let least = cost.start_and_end.map_or(f64::MAX, |least| least);
            if rank.starting > 0 {
                cost.start_and_end = Some(of_rank.start_and_end.min(least));
            }
            cost.waiting += of_rank.waiting;
            cost.all += of_rank.delay + of_rank.waiting + of_rank.own_start;
        }
        cost
    }

    /// The figures, in one line of text.
    pub fn facts(&self) -> Vec<Fact> {
        let mut delay = Fact::new(DELAY, "recording", Value::Seconds(self.delay));
        let share = self.share.map_or(String::new(), |share| format!(", about {share:.2} %"));
        delay = delay.note(format!(" of overhead{share}"));
        delay = match self.start_and_end {
            None => delay.note(", start and end included"),
            Some(start) => delay.note(", and ").figure(Value::Seconds(start)).note(" to start and end"),
        };
        let mut facts = vec![delay];
        facts.extend(self.share.map(|share| Fact::hidden(DELAY_PERCENT, Value::Percent(share))));
        facts.extend(self.start_and_end.map(|start| Fact::hidden(START, Value::Seconds(start))));
        facts.push(Fact::hidden(WAITING, Value::Seconds(self.waiting)));
        facts.push(Fact::hidden(COST, Value::Seconds(self.all)));
        facts
    }

    /// A sentence or two.
    pub fn in_words(&self) -> String {
        let delay = Value::Seconds(self.delay);
        let start = match self.start_and_end {
            None => ", start and end included".into(),
            Some(start) => format!(", and its start and end by {}", Value::Seconds(start)),
        };
        let share = self.share.map_or(String::new(), |share| format!(" ({share:.2} %)"));
        format!("Recording delayed the program by about {delay}{share}{start}")
    }
}

/// Seconds of the recorder's work that was timed while it happened, such as page turns, without starting and ending.
pub fn timed(rank: &Rank) -> f64 {
    rank.clock.seconds(rank.off_line.saturating_sub(rank.starting))
}

impl RankCost {
    fn of(rank: &Rank, calls: u64) -> RankCost {
        let seconds = |ticks: f64| ticks * rank.clock.seconds(1);
        // The header has costs in thousandths of a tick.
        let costing = |count: u64, cost: u64| seconds(count as f64 * cost as f64 / 1000.0);
        let header = &rank.header;
        let productive_cost = if header.productive_cost > 0 { header.productive_cost } else { header.entry_cost };
        let of_ledger = |count: fn(&LedgerLine) -> u64| {
            [INSIDE, OUTSIDE].into_iter().fold(0, |all: u64, line| all.saturating_add(count(&rank.ledger[line])))
        };
        let productive = of_ledger(|line| line.calls.productive);
        let empty = of_ledger(|line| line.calls.entries).saturating_sub(productive);
        let idle = rank.idle_polls.min(calls);
        let delaying = empty.min(calls - idle);
        let between = timed(rank);
        // With `--overlap ask`, this time is mostly questions to MPI, which polls without success ask, too.
        let asked_while_waiting = if rank.asked { between * idle as f64 / calls.max(1) as f64 } else { 0.0 };
        let delay = costing(calls - idle, header.wrapper_cost)
            + costing(productive, productive_cost)
            + costing(delaying, header.entry_cost)
            + between
            - asked_while_waiting;
        let waiting =
            costing(idle, header.wrapper_cost) + costing(empty - delaying, header.entry_cost) + asked_while_waiting;
        RankCost {
            delay,
            // If checksums are taken, polls cost less than the call that was rehearsed.
            waiting: waiting.min(rank.whole_of_threads()),
            own_start: seconds(rank.starting as f64),
            start_and_end: seconds(rank.starting.saturating_add(rank.met) as f64),
        }
    }
}
