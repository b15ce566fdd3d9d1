//! The activity of a rank at the moment, and the other end of its call, in words.

use traces::calls::Call;
use traces::signature::{Signature, peer, tag};

use super::words::{object, peer_in_words};
use crate::meaning;
use model::Rank;
use model::process::ProcessState;
use model::rank::function;
use model::sites::Sites;
use model::standing::Spot;
use model::wait_for::Halt;
use tables::{Column, Label};

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
fn peer_of(call: &Signature) -> Option<String> {
    let partners = [call.peer, call.source].into_iter().filter(|rank| *rank != peer::NONE);
    let words: Vec<String> = partners.map(peer_in_words).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The tags that the program gave a call.
fn tag_of(call: &Signature) -> Option<String> {
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

/// A call in words: function, partner, tag, communicator and call site.
pub struct CallWords {
    pub function: Option<String>,
    pub partner: Option<String>,
    pub tag: Option<String>,
    pub communicator: Option<String>,
    pub site: Option<String>,
}

impl CallWords {
    /// The call's communicator has the rank's own name.
    pub fn of(rank: &Rank, call: Option<&Signature>, sites: &Sites) -> CallWords {
        CallWords {
            function: call.map(function),
            partner: call.and_then(peer_of),
            tag: call.and_then(tag_of),
            communicator: call.filter(|call| call.object != 0).map(|call| object(rank, call).0),
            site: call.filter(|call| call.site != 0).map(|call| sites.place(rank, call.site)),
        }
    }

    pub fn function_column<R: 'static>(of: fn(&R) -> &CallWords) -> Column<R> {
        let column = Column::text("function", "function", move |row: &R| of(row).function.clone());
        column.means("The MPI function it is in; outside MPI, the last one.")
    }

    pub fn tag_column<R: 'static>(of: fn(&R) -> &CallWords) -> Column<R> {
        let column = Column::text("tag", "tag", move |row: &R| of(row).tag.clone());
        column.means("The tag it was given, or any.").silent_empty()
    }

    pub fn communicator_column<R: 'static>(of: fn(&R) -> &CallWords) -> Column<R> {
        let column = Column::text("communicator", "communicator", move |row: &R| of(row).communicator.clone());
        column.means(meaning::COMMUNICATOR).spare(1)
    }

    pub fn site_column<R: 'static>(of: fn(&R) -> &CallWords) -> Column<R> {
        Column::text("site", "call site", move |row: &R| of(row).site.clone()).means(meaning::SITE)
    }
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
