//! Counts what a rank leaves behind: objects, requests, messages that it does not receive, and receives that get none.

use super::RankMatcher;
use crate::matching::left_over::LeftOver;
use crate::matching::untaken::Untaken;
use crate::matching::{Account, RankSite};
use crate::stream::TimedCall;

impl<'a> RankMatcher<'a> {
    /// Counts objects and requests, and messages that lie here.
    pub fn counts_left(&mut self, left_over: Option<LeftOver<'a>>, untaken: Untaken) {
        (self.left_over, self.untaken) = (left_over, Some(untaken));
    }

    /// The part of the run in which a call begins.
    pub(super) fn part(&self, call: &TimedCall) -> u8 {
        self.left_over.as_ref().map_or(0, |left_over| left_over.part(call.start))
    }

    /// Adds what is left once all calls were read.
    pub(super) fn report_left(&mut self, account: &mut Account) {
        account.unrecorded += self.queues.of_unrecorded().filter(|post| post.place.counts()).count() as u64;
        let (messages, posts) = self.queues.rest();
        for message in messages.into_iter().filter(|message| message.place.counts() && !message.open) {
            let at = RankSite { rank: message.envelope.source, place: message.place };
            *account.unreceived.entry(at).or_default() += 1;
            if let Some(untaken) = &mut self.untaken {
                untaken.leave(message);
            }
        }
        for post in posts.into_iter().filter(|post| post.place.counts()) {
            *account.unsent.entry(RankSite { rank: self.number, place: post.place }).or_default() += 1;
        }
        if let Some(mut left_over) = self.left_over.take() {
            let pending = self.requests.all().filter(|request| request.completion.is_none() && !request.freed);
            for request in pending {
                left_over.request(request.place, request.part, None);
            }
            for persistent in self.persistent.values() {
                left_over.request(persistent.role.place, persistent.part, None);
            }
            let sites = left_over.sites.into_iter().filter(|((place, _), _)| place.counts());
            let here = |place| RankSite { rank: self.number, place };
            account.left_over.extend(sites.map(|((place, kind), left)| ((here(place), kind), left)));
            account.freed.extend(left_over.freed.into_iter().map(|(kind, freed)| ((self.number, kind), freed)));
        }
        for (from, messages) in self.untaken.take().into_iter().flat_map(|untaken| untaken.sites) {
            account.untaken.insert((from, self.number), messages);
        }
    }
}
