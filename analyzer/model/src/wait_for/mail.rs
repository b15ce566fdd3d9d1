//! Matches messages under way to a rank with its waiting receives, to find which receives can get one.
//!
//! In: the state of the ranks. A message serves the first posted receive that it fits. A receive takes the first fitting message
//! of each sender, and a wildcard may take any sender's. So a receive is served only if a message fits it that all receives
//! before it can do without; if it is not served, no order of arrivals serves it.

use rustc_hash::FxHashMap;
use traces::signature::tag;

use crate::parallel;
use crate::request_numbers::RequestId;
use crate::roles::Peer;
use crate::standing::{Awaited, Position, RankStanding, Sent, Standing};

/// Beyond this many receives on one communicator, some with wildcards, each counts as served if any message fits it, and so does
/// one with [`BEFORE`] receives before it. This errs only towards ranks that are not stuck.
const COMPARED: usize = 4000;
/// See [`COMPARED`].
const BEFORE: usize = 200;

/// Attributes by which MPI distinguishes messages to one rank: the run's number for the communicator, the sender, the tag.
pub type MessageClass = (u32, u32, i32);

/// Messages of one class that are under way or being sent.
#[derive(Clone, Copy, Debug)]
pub struct MessagesUnderWay {
    pub count: u64,
    /// The last completed send; `None` if its record was dropped.
    pub sent: Option<Sent>,
    /// A send of this class has not returned.
    pub is_open: bool,
}

/// A receive or a probe that waits for a message.
#[derive(Clone, Debug)]
pub struct PostedReceive {
    pub of: ReceiveOwner,
    /// The run's number for the communicator.
    pub object: u32,
    pub from: Peer,
    /// The tag, or [`tag::ANY`].
    pub tag: i32,
    /// It removes the message, so later receives do not get it.
    pub takes: bool,
    /// Latest and earliest time of its post, nanoseconds on the run's common clock.
    posted: i64,
    begun: i64,
    /// A message can reach it.
    pub is_served: bool,
    /// It is served, but receives posted before may have taken all messages that fit it.
    pub is_contested: bool,
}

/// Owner of a receive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReceiveOwner {
    /// A pending request.
    Request(RequestId),
    /// The call that a thread is in.
    Call(u32),
    /// A poll that a thread repeats, by its place among the thread's distinct polls.
    Poll(u32, usize),
    /// None: the program freed the request.
    Nobody,
}

/// Messages and receives of one rank.
#[derive(Default, Debug)]
pub struct Mailbox {
    /// Messages under way to it.
    pub under_way: FxHashMap<MessageClass, MessagesUnderWay>,
    /// Its receives, in the order they were posted.
    pub posts: Vec<PostedReceive>,
    /// Indices of receives that have an owner.
    by_owner: FxHashMap<ReceiveOwner, usize>,
}

/// Mailboxes of all ranks, in the order of the run.
pub fn mailboxes(standing: &Standing) -> Vec<Mailbox> {
    let mut under_way = under_way(standing);
    let posts = parallel::map(standing.ranks.len(), |at| posts(&standing.ranks[at]));
    let mut boxes = Vec::new();
    for (at, posts) in posts.into_iter().enumerate() {
        boxes.push(Mailbox::new(std::mem::take(&mut under_way[at]), posts));
    }
    let served = parallel::map(boxes.len(), |at| boxes[at].served());
    for (mailbox, served) in boxes.iter_mut().zip(served) {
        for (post, service) in mailbox.posts.iter_mut().zip(served) {
            post.is_served = service != Service::None;
            post.is_contested = service == Service::Contested;
        }
    }
    boxes
}

/// The messages that can reach a receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Service {
    None,
    /// Receives posted before may have taken all that fit.
    Contested,
    Sure,
}

/// Messages sent less messages received, the last completed send, and if one has not returned.
#[derive(Clone, Copy, Default)]
struct Balance {
    left: i64,
    sent: Option<Sent>,
    is_open: bool,
}

/// Messages under way to each rank.
fn under_way(standing: &Standing) -> Vec<FxHashMap<MessageClass, MessagesUnderWay>> {
    let mut left: Vec<FxHashMap<MessageClass, Balance>> = Vec::new();
    left.resize_with(standing.ranks.len(), FxHashMap::default);
    for (at, rank) in (0..).zip(&standing.ranks) {
        for (route, passed) in &rank.past.passed {
            let entry = left[route.to as usize].entry((route.object, route.from, route.tag)).or_default();
            entry.left += passed.left;
            if route.from == at {
                entry.sent = passed.sent;
            }
        }
        for awaits in rank.entered().flat_map(|(_, entered)| &entered.awaits) {
            if let Awaited::Delivery { object: Some(object), to: Peer::Rank(to), tag, .. } = *awaits {
                let entry = left[to as usize].entry((object, at, tag)).or_default();
                entry.left += 1;
                entry.is_open = true;
            }
        }
    }
    let known = |(class, Balance { left, sent, is_open })| {
        let count = u64::try_from(left).ok().filter(|count| *count > 0)?;
        Some((class, MessagesUnderWay { count, sent, is_open }))
    };
    left.into_iter().map(|of_rank| of_rank.into_iter().filter_map(known).collect()).collect()
}

fn posts(rank: &RankStanding) -> Vec<PostedReceive> {
    let mut posts = Vec::new();
    let mut post = |awaits: &Awaited, of: ReceiveOwner, (begun, posted): (i64, i64)| {
        if let Awaited::Message { object: Some(object), from, tag, takes } = *awaits {
            // A poll takes nothing as long as it does not succeed.
            let takes = takes && !matches!(of, ReceiveOwner::Poll(..));
            let (is_served, is_contested) = (false, false);
            posts.push(PostedReceive { of, object, from, tag, takes, posted, begun, is_served, is_contested });
        }
    };
    for (id, request) in &rank.past.pending {
        let times = (request.begun, request.since);
        request.awaits.iter().for_each(|awaits| post(awaits, ReceiveOwner::Request(*id), times));
    }
    for request in &rank.past.given_up {
        let times = (request.begun, request.since);
        request.awaits.iter().for_each(|awaits| post(awaits, ReceiveOwner::Nobody, times));
    }
    for (thread, entered) in rank.entered() {
        // Other threads may have posted receives before this call did.
        let times = (i64::MAX, i64::MAX);
        entered.awaits.iter().for_each(|awaits| post(awaits, ReceiveOwner::Call(thread), times));
    }
    for thread in &rank.threads {
        let Position::Asking(asked) = &thread.position else { continue };
        for (place, entered) in asked.iter().enumerate() {
            let of = ReceiveOwner::Poll(thread.number, place);
            entered.awaits.iter().for_each(|awaits| post(awaits, of, (i64::MAX, i64::MAX)));
        }
    }
    posts.sort_by_key(|post| (post.begun, post.posted));
    // A cancelled receive may have got a message or not, so it blocks no other receive.
    if rank.past.may_be_cancelled() {
        posts.iter_mut().for_each(|post| post.takes &= matches!(post.of, ReceiveOwner::Call(_)));
    }
    posts
}

impl PostedReceive {
    /// True if a message of this class fits.
    pub fn fits(&self, (object, from, sent): MessageClass) -> bool {
        let from_there = match self.from {
            Peer::Any => true,
            Peer::Rank(rank) => rank == from,
            Peer::Nobody | Peer::Unknown | Peer::Unrecorded => false,
        };
        object == self.object && (self.tag == tag::ANY || self.tag == sent) && from_there
    }

    fn has_wildcard(&self) -> bool {
        self.from == Peer::Any || self.tag == tag::ANY
    }

    /// True if it was certainly posted earlier than `other`, and so gets a message that fits both.
    fn comes_before(&self, other: &PostedReceive) -> bool {
        self.takes && self.posted < i64::MAX && self.posted <= other.begun
    }
}

impl Mailbox {
    fn new(under_way: FxHashMap<MessageClass, MessagesUnderWay>, posts: Vec<PostedReceive>) -> Mailbox {
        let by_owner = posts.iter().enumerate().map(|(at, post)| (post.of, at)).collect();
        Mailbox { under_way, posts, by_owner }
    }

    /// A receive by its owner.
    pub fn post(&self, of: ReceiveOwner) -> Option<&PostedReceive> {
        self.posts.get(*self.by_owner.get(&of)?)
    }

    /// Number of receives that take messages of a class.
    pub fn takers(&self, class: MessageClass) -> u64 {
        self.posts.iter().filter(|post| post.takes && post.fits(class)).count() as u64
    }

    /// Tells for each receive which messages can reach it.
    fn served(&self) -> Vec<Service> {
        let mut by_object: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (at, post) in self.posts.iter().enumerate() {
            by_object.entry(post.object).or_default().push(at);
        }
        let mut served = vec![Service::None; self.posts.len()];
        for (object, all) in by_object {
            let posts: Vec<&PostedReceive> = all.iter().map(|at| &self.posts[*at]).collect();
            let classes: Vec<(MessageClass, u64)> = self.under_way_on(object).collect();
            for (at, service) in all.iter().zip(serve(&posts, &classes)) {
                served[*at] = service;
            }
        }
        served
    }

    fn under_way_on(&self, object: u32) -> impl Iterator<Item = (MessageClass, u64)> {
        let on = self.under_way.iter().filter(move |(class, _)| class.0 == object);
        on.map(|(class, under_way)| (*class, under_way.count))
    }
}

/// Tells for each receive on one communicator, in the order of posting, which of these messages can reach it.
fn serve(posts: &[&PostedReceive], classes: &[(MessageClass, u64)]) -> Vec<Service> {
    let sure = |is_served: bool| if is_served { Service::Sure } else { Service::None };
    let in_order = posts.windows(2).all(|two| two[0].comes_before(two[1]));
    if in_order && !posts.iter().any(|post| post.has_wildcard()) {
        return serve_in_order(posts, classes).into_iter().map(sure).collect();
    }
    if posts.len() > COMPARED {
        let fits = |post: &&PostedReceive| classes.iter().any(|(class, _)| post.fits(*class));
        return posts.iter().map(|post| sure(fits(post))).collect();
    }
    let is_served = |at: usize| {
        let mut fitting = (0..classes.len()).filter(|class| posts[at].fits(classes[*class].0));
        fitting.any(|class| {
            let is_first =
                |earlier: &&&PostedReceive| earlier.fits(classes[class].0) && earlier.comes_before(posts[at]);
            let earlier: Vec<&PostedReceive> = posts[..at].iter().filter(is_first).copied().collect();
            earlier.len() > BEFORE || all_find_one(&earlier, classes, class)
        })
    };
    let service = |at: usize| match is_served(at) {
        false => Service::None,
        true if may_all_be_taken(posts, at, classes) => Service::Contested,
        true => Service::Sure,
    };
    (0..posts.len()).map(service).collect()
}

/// True if receives before this one may take all messages that fit it.
fn may_all_be_taken(posts: &[&PostedReceive], at: usize, classes: &[(MessageClass, u64)]) -> bool {
    let fitting: Vec<(MessageClass, u64)> =
        classes.iter().filter(|(class, _)| posts[at].fits(*class)).copied().collect();
    let count: u64 = fitting.iter().map(|(_, count)| count).sum();
    let is_rival = |earlier: &&&PostedReceive| {
        earlier.comes_before(posts[at]) && fitting.iter().any(|(class, _)| earlier.fits(*class))
    };
    let rivals: Vec<&PostedReceive> = posts[..at].iter().filter(is_rival).copied().collect();
    if count > rivals.len() as u64 || rivals.len() > BEFORE {
        return false;
    }
    let room = |class: usize| fitting[class].1;
    let mut given: Vec<Vec<usize>> = vec![Vec::new(); fitting.len()];
    let finds_one = |rival: &usize| {
        let mut tried = vec![false; fitting.len()];
        find_one(*rival, &rivals, &fitting, &room, &mut given, &mut tried)
    };
    (0..rivals.len()).filter(finds_one).count() as u64 == count
}

/// Like `serve`, for receives of one thread that name sender and tag: counting is enough.
fn serve_in_order(posts: &[&PostedReceive], classes: &[(MessageClass, u64)]) -> Vec<bool> {
    let mut left: FxHashMap<MessageClass, u64> = classes.iter().copied().collect();
    let is_served = |post: &&PostedReceive| {
        let Peer::Rank(from) = post.from else { return false };
        let Some(left) = left.get_mut(&(post.object, from, post.tag)).filter(|left| **left > 0) else { return false };
        *left -= u64::from(post.takes);
        true
    };
    posts.iter().map(is_served).collect()
}

/// True if each of these receives finds a message while one of class `kept` stays free. Uses augmenting paths, each of which
/// serves one more receive.
fn all_find_one(posts: &[&PostedReceive], classes: &[(MessageClass, u64)], kept: usize) -> bool {
    let room = |class: usize| classes[class].1 - u64::from(class == kept);
    if room(kept) >= posts.len() as u64 {
        return true;
    }
    // By class, the receives that have its messages.
    let mut given: Vec<Vec<usize>> = vec![Vec::new(); classes.len()];
    (0..posts.len()).all(|post| {
        let mut tried = vec![false; classes.len()];
        find_one(post, posts, classes, &room, &mut given, &mut tried)
    })
}

fn find_one(
    post: usize,
    posts: &[&PostedReceive],
    classes: &[(MessageClass, u64)],
    room: &impl Fn(usize) -> u64,
    given: &mut Vec<Vec<usize>>,
    tried: &mut [bool],
) -> bool {
    for class in 0..classes.len() {
        if !posts[post].fits(classes[class].0) || std::mem::replace(&mut tried[class], true) {
            continue;
        }
        if (given[class].len() as u64) < room(class) {
            given[class].push(post);
            return true;
        }
        for at in 0..given[class].len() {
            let other = given[class][at];
            if find_one(other, posts, classes, room, given, tried) {
                given[class][at] = post;
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(at: i64, from: Peer, tag: i32) -> PostedReceive {
        let of = ReceiveOwner::Request((0, at as u64));
        PostedReceive {
            of,
            object: 1,
            from,
            tag,
            takes: true,
            posted: at,
            begun: at,
            is_served: false,
            is_contested: false,
        }
    }

    /// Runs the matching for messages given as (sender, tag, count).
    fn services(posts: &[PostedReceive], under_way: &[(u32, i32, u64)]) -> Vec<Service> {
        let messages = |count| MessagesUnderWay { count, sent: None, is_open: false };
        let under_way = under_way.iter().map(|(from, tag, count)| ((1, *from, *tag), messages(*count)));
        Mailbox::new(under_way.collect(), posts.to_vec()).served()
    }

    fn served(posts: &[PostedReceive], under_way: &[(u32, i32, u64)]) -> Vec<bool> {
        services(posts, under_way).into_iter().map(|service| service != Service::None).collect()
    }

    #[test]
    fn one_message_serves_the_receive_that_was_posted_first() {
        let from = |at| post(at, Peer::Rank(1), 5);
        assert_eq!(served(&[from(1), from(2)], &[(1, 5, 1)]), [true, false]);
        assert_eq!(served(&[from(1), from(2), from(3)], &[(1, 5, 2), (1, 6, 9)]), [true, true, false]);
        assert_eq!(served(&[post(1, Peer::Any, 5), from(2)], &[(1, 5, 1)]), [true, false]);
        assert_eq!(served(&[post(1, Peer::Any, 5), post(2, Peer::Any, 5)], &[(1, 5, 1)]), [true, false]);
        assert_eq!(served(&[post(1, Peer::Rank(1), tag::ANY), from(2)], &[(1, 5, 1)]), [true, false]);
    }

    #[test]
    fn a_receive_is_served_where_those_before_it_may_take_something_else() {
        let any = |at| post(at, Peer::Any, 5);
        let from = |at, rank| post(at, Peer::Rank(rank), 5);
        assert_eq!(served(&[any(1), from(2, 1)], &[(1, 5, 1), (2, 5, 1)]), [true, true]);
        assert_eq!(served(&[any(1), from(2, 1), from(3, 2)], &[(1, 5, 1), (2, 5, 1)]), [true, true, true]);
        // Two of the three before the last one have only the message that it wants.
        assert_eq!(
            served(&[from(1, 1), any(2), from(3, 2), any(4)], &[(1, 5, 1), (2, 5, 1)]),
            [true, true, true, false]
        );
        // The first two have to swap messages for the third.
        let posts = [any(1), post(2, Peer::Rank(1), tag::ANY), post(3, Peer::Any, 6)];
        assert_eq!(served(&posts, &[(1, 5, 1), (2, 5, 1), (1, 6, 1)]), [true, true, true]);
        assert_eq!(served(&posts, &[(1, 5, 1), (2, 5, 1)]), [true, true, false]);
    }

    #[test]
    fn a_receive_behind_a_wildcard_is_contested_if_the_wildcard_may_have_its_only_message() {
        use Service::{Contested, Sure};
        let any = |at| post(at, Peer::Any, 5);
        let from = |at| post(at, Peer::Rank(1), 5);
        assert_eq!(services(&[any(1), from(2)], &[(1, 5, 1), (2, 5, 1)]), [Sure, Contested]);
        assert_eq!(services(&[any(1), from(2)], &[(1, 5, 2), (2, 5, 1)]), [Sure, Sure], "one of two is left");
        assert_eq!(services(&[from(1), any(2)], &[(1, 5, 1), (2, 5, 1)]), [Sure, Sure]);
        assert_eq!(services(&[any(1), from(2)], &[(1, 5, 1), (2, 6, 1)]), [Sure, Service::None]);
        assert_eq!(services(&[any(1), any(2), from(3)], &[(1, 5, 2), (2, 5, 1)]), [Sure, Sure, Contested]);
        assert_eq!(services(&[post(1, Peer::Rank(1), tag::ANY), from(2)], &[(1, 5, 1), (1, 6, 1)]), [Sure, Contested]);
    }

    #[test]
    fn a_probe_leaves_its_message_to_others_and_gets_none_that_a_receive_has() {
        let probe = |at| PostedReceive { takes: false, ..post(at, Peer::Rank(1), 5) };
        assert_eq!(served(&[probe(1), post(2, Peer::Rank(1), 5)], &[(1, 5, 1)]), [true, true]);
        assert_eq!(served(&[post(1, Peer::Rank(1), 5), probe(2)], &[(1, 5, 1)]), [true, false]);
    }

    #[test]
    fn of_receives_that_threads_post_at_once_nobody_knows_which_gets_the_message() {
        let call = |thread| PostedReceive { of: ReceiveOwner::Call(thread), ..post(i64::MAX, Peer::Rank(1), 5) };
        assert_eq!(served(&[call(0), call(1)], &[(1, 5, 1)]), [true, true]);
        assert_eq!(served(&[post(1, Peer::Rank(1), 5), call(0), call(1)], &[(1, 5, 1)]), [true, false, false]);
    }
}
