//! Begins a rank in the middle of its run, where it has dropped its oldest records.

use super::messages::pattern_of;
use super::{Persistent, RankMatcher};
use crate::common_clock::ClockLine;
use crate::dropped_past::DroppedPast;
use crate::matching::concurrent::CallSpan;
use crate::matching::dependency_bytes::NotedMark;
use crate::matching::posted_receive::Post;
use crate::matching::requests::{Request, Wanted};
use crate::matching::{Letter, Message};
use crate::roles::CallPart;

impl RankMatcher<'_> {
    /// Resumes after the dropped records, with the rank's open requests and its ordinals of collective calls.
    pub fn goes_on(&mut self, past: DroppedPast, line: &ClockLine) {
        let begin = line.nanoseconds_at(past.from);
        self.links.begin(begin);
        self.log.begin = Some(begin);
        (self.ordinals, self.made) = (past.collectives, past.made_alone);
        for ((thread, number), role) in past.persistent {
            if !matches!(role.what, CallPart::Collective { .. }) {
                self.persistent.insert((thread, number), Persistent { role, ordinal: 0, starts: 0, part: 0 });
            }
        }
        for ((thread, number), role) in past.pending {
            let mut request = Request::default();
            if let (CallPart::Message { receives: true, .. }, Some(pattern)) = (role.what, pattern_of(&role)) {
                // The time of the post is unknown, so no sender is said to have waited for it.
                let turn = CallSpan { thread, begin, end: begin, uncertain: false };
                let mut post = Post::new(turn, role.place.left_out(), role.received);
                post.at = line.nanoseconds_at(past.begin);
                let receipt = self.queues.post(pattern, post);
                request.receive = Some((receipt, Wanted::by(&role)));
            }
            self.requests.insert(thread, number, request);
        }
    }

    /// Tells the sender of a message that its receive was dropped.
    pub(super) fn without_receive(&mut self, message: &Message) {
        self.before += u64::from(message.place.counts());
        if let Some(passed_over) = &mut self.passed_over {
            passed_over.forget(message.envelope.source, message.number);
        }
        self.log.forget(Some(NotedMark { rank: message.envelope.source, number: message.noted }));
        if let Some(token) = message.token {
            self.letters.send(message.envelope.source, Letter::Told(token, None, None));
        }
    }

    /// Completes a receive of a message whose send was dropped.
    pub(super) fn without_send(&mut self, post: &Post, completion: u32) {
        self.before += u64::from(post.place.counts());
        if let Some((passed_over, (source, received))) = self.passed_over.as_mut().zip(post.received) {
            passed_over.leave_out(source, received);
        }
        self.log.forget(post.noted.map(|number| NotedMark { rank: self.number, number }));
        self.depends_on_nothing(completion);
        self.tell(completion, None);
    }
}
