//! The number of rounds, and notes on messages in none.

use super::gathered::GatheredRounds;
use tables::{Fact, Value, facts};

facts! {
    ROUNDS = "rounds_found", Count, always, "Rounds of one rank to several others and back that were found.";
    MESSAGES = "messages", Count, always, "How many messages, or one-sided transfers.";
    IN_ROUNDS = "messages_in_rounds", Count, always, "Messages that are part of such a round.";
    CROSSED = "messages_crossed", Count, always,
        "Messages that crossed another one on the way, so that they belong to no round.";
}

/// The number of rounds, and of messages in and outside them.
pub fn facts(all: &GatheredRounds<'_>) -> Vec<Fact> {
    let rounds = all.rounds;
    let note =
        format!(": {} of {} messages are in one, {} cross another", rounds.in_rounds, rounds.messages, rounds.crossed);
    vec![
        Fact::new(ROUNDS, "rounds", Value::Count(rounds.rounds.len() as u64)).note(note),
        Fact::hidden(MESSAGES, Value::Count(rounds.messages)),
        Fact::hidden(IN_ROUNDS, Value::Count(rounds.in_rounds)),
        Fact::hidden(CROSSED, Value::Count(rounds.crossed)),
    ]
}

/// Notes on messages that are in no round, and on the clocks behind one-way rounds.
pub fn unseen(all: &GatheredRounds<'_>) -> Vec<String> {
    let mut said = Vec::new();
    let rounds = all.rounds;
    if rounds.messages == 0 {
        said.push("no message is in what is asked about".into());
    } else if rounds.rounds.is_empty() {
        said.push(format!(
            "no round: a rank has to send one size to several and get an answer from each, or one of the two. Of {} messages, {} \
             were sent before what the other rank had sent arrived, as in a halo; the others answer nothing, as in a ring, or ask \
             as much as they answer",
            rounds.messages, rounds.crossed
        ));
    }
    if all.account.undelivered > 0 {
        said.push(format!(
            "{} parts of nonblocking collective calls are left out: they end in another call",
            all.account.undelivered
        ));
    }
    if all.series.keys().any(|series| series.question.is_none() || series.answer.is_none()) {
        said.push(
            "rounds of one way are timed from one rank's clock to another's: error_s says how far off that may be"
                .into(),
        );
    }
    said
}
