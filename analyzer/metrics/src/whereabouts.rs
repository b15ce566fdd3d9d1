//! The activity of a rank at the moment, and the other end of its call, in words.

use traces::calls::Call;
use traces::signature::{Signature, peer, tag};

use super::words::peer_in_words;
use model::process::ProcessState;
use model::standing::Spot;
use model::wait_for::Halt;
use tables::Label;

/// The activity of a rank, in words that its call completes.
pub fn state(halt: Option<Halt>, spot: &Spot, process: Option<ProcessState>) -> Label {
    match (halt, spot) {
        (_, Spot::Finalized) => label("finalized", "finished"),
        (Some(Halt::Dead), Spot::Outside(..)) => label("dead", "dead after"),
        (Some(Halt::Dead), _) => label("dead", "dead in"),
        (Some(Halt::Stopped), Spot::Outside(..)) => label("stopped", "stopped after"),
        (Some(Halt::Stopped), _) => label("stopped", "stopped in"),
        (None, Spot::Inside(..)) => label("in_mpi", "in"),
        (None, Spot::Asking(..)) => label("polling", "polls"),
        (None, Spot::Outside(..)) if process == Some(ProcessState::Asleep) => label("asleep", "asleep after"),
        (None, Spot::Outside(..)) => label("outside", "outside, after"),
    }
}

const fn label(key: &'static str, name: &'static str) -> Label {
    Label { key, name, depth: 0 }
}

/// The ranks at the other end of a call, as the program named them.
pub fn peer_of(call: &Signature) -> Option<String> {
    let partners = [call.peer, call.source].into_iter().filter(|rank| *rank != peer::NONE);
    let words: Vec<String> = partners.map(peer_in_words).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The tags that the program gave a call.
pub fn tag_of(call: &Signature) -> Option<String> {
    let tags = [call.tag, call.source_tag];
    // Calls without tags keep other values in these fields.
    let has_tags = Call::from_number(call.call).is_some_and(|call| {
        use traces::calls::ArgumentKind::{RecvTag, SendTag};
        call.has(SendTag) || call.has(RecvTag)
    });
    let in_words = |tag: i32| if tag == tag::ANY { "any".into() } else { tag.to_string() };
    let words: Vec<String> = tags.into_iter().filter(|tag| *tag != tag::NONE).map(in_words).collect();
    (has_tags && !words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_sleeps_outside_mpi_is_asleep_and_one_in_a_call_is_in_it() {
        let key = |spot: &Spot, process| state(None, spot, Some(process)).key;
        let (outside, inside) = (Spot::Outside(None, 0.0), Spot::Inside(Signature::EMPTY, 0.0));
        assert_eq!(key(&outside, ProcessState::Asleep), "asleep");
        assert_eq!(key(&outside, ProcessState::Running), "outside");
        assert_eq!(key(&inside, ProcessState::Asleep), "in_mpi");
    }

    #[test]
    fn a_process_that_is_dead_or_stopped_outside_mpi_is_not_said_to_be_in_its_last_call() {
        let name = |halt, spot: &Spot| state(Some(halt), spot, None).name;
        let (outside, inside) = (Spot::Outside(None, 0.0), Spot::Inside(Signature::EMPTY, 0.0));
        assert_eq!(name(Halt::Dead, &outside), "dead after");
        assert_eq!(name(Halt::Dead, &inside), "dead in");
        assert_eq!(name(Halt::Stopped, &outside), "stopped after");
        assert_eq!(name(Halt::Stopped, &inside), "stopped in");
    }
}
