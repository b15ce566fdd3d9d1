//! Handles a rank's part in collective calls.

use super::RankMatcher;
use crate::matching::Letter;
use crate::matching::Token;
use crate::matching::collective_node::CollectiveNode;
use crate::matching::collectives::{ArrivalEnd, CollectiveArrival, Ordinal, OwnPart, STORED};
use crate::matching::dependency_bytes::NotedNode;
use crate::matching::operations::OperationPart;
use crate::matching::requests::{AwaitedNode, OfCollective, Partner, Request};
use crate::matching::scenario::WayKind;
use crate::matching::wait_sums::RankSite;
use crate::roles::{Flow, Role};
use crate::stream::TimedCall;

/// Ordinal of the making of a communicator by its own processes alone; it comes before all calls on it.
const MAKING: Ordinal = (u64::MAX, 0);

impl RankMatcher<'_> {
    /// Handles a call that makes a communicator by its own processes alone. Returns the communicator and the call's ordinal.
    pub(super) fn make(&mut self, role: &Role, call: (u32, &TimedCall), end: ArrivalEnd) -> Option<(u32, Ordinal)> {
        let object = self.shared.collectives.objects.made_alone(self.number as usize, self.made as usize);
        self.made += 1;
        if self.shared.dropped.is_any {
            // Other ranks may have dropped their part.
            return None;
        }
        // One side accepts and the other connects, by different functions.
        let role = Role { object, function: 0, ..*role };
        self.collective(&role, (Flow::Create, false), MAKING, call, end);
        Some((object?, MAKING))
    }

    pub(super) fn ordinal(&mut self, role: &Role) -> u64 {
        let Some(object) = role.object else { return 0 };
        let next = self.ordinals.entry(object).or_default();
        *next += 1;
        *next - 1
    }

    pub(super) fn collective(
        &mut self,
        role: &Role,
        (flow, root): (Flow, bool),
        ordinal: Ordinal,
        (thread, call): (u32, &TimedCall),
        end: ArrivalEnd,
    ) {
        let Some(object) = role.object.filter(|object| self.shared.dropped.has_collective(*object, ordinal.0)) else {
            return;
        };
        let begin = call.start;
        if let Some(Token::Request(thread, number)) = end.token() {
            let own = OwnPart { rank: self.number, flow, root };
            let collective = Some(Box::new(OfCollective { object, ordinal, own, node: None }));
            let (place, part) = (role.place, self.part(call));
            let request = Request { place, part, partner: Partner::Awaited, collective, ..Request::default() };
            self.requests.insert(thread, number, request);
        }
        let at = RankSite { rank: self.number, place: role.place };
        let (function, bytes) = (role.function, role.sent.max(role.received));
        let behind = call.behind;
        let part = OperationPart { at, function, root, bytes, begin, end: end.ended(), behind };
        self.join(object, ordinal, part, end.token());
        let arrival = CollectiveArrival { at, thread, flow, function: role.function, root, bytes, begin, end };
        let (node, counts) = self.shared.collectives.arrive(object, ordinal, arrival, &mut self.waits, &mut self.told);
        self.complete += u64::from(counts);
        if let Some(node) = node {
            self.meet(node, (object, flow, root), (thread, begin, at.place.number() as u32), bytes, end.token());
        }
        for (to, token, cause) in self.told.drain(..) {
            self.letters.send(to, Letter::Told(token, cause, None));
        }
    }

    /// Enters the dependencies of the rank's part in a collective call, whose node is given, or that of its first rank.
    fn meet(
        &mut self,
        node: CollectiveNode,
        (object, flow, root): (u32, Flow, bool),
        (thread, begin, site): (u32, i64, u32),
        bytes: u64,
        token: Option<Token>,
    ) {
        let ranks = self.shared.collectives.objects.groups[object as usize].size() as u32;
        // The root comes to the first of two nodes, which the others await, and they come to the second.
        let (to, node, parts) = match flow {
            Flow::Neighbors => {
                let Some(own) = self.come_to_neighbors(object, &node, (begin, site)) else { return };
                let parts = own.needed() + 1;
                (None, own, parts)
            }
            Flow::FromRoot if root => (Some(node.clone()), node.other(1), ranks),
            Flow::FromRoot => (Some(node.other(1)), node, ranks),
            _ => (Some(node.clone()), node, ranks),
        };
        let needs = match flow {
            Flow::FromRoot => !root,
            Flow::ToRoot => root,
            _ => true,
        };
        // What libraries store is handed over at once. Inside a larger tree a rank hands on what others come with.
        let is_stored = bytes <= STORED && (flow == Flow::FromRoot || flow == Flow::ToRoot && ranks == 2);
        let awaits = needs || !is_stored;
        // Replays time the first thread's calls alone.
        let is_noted = token.is_none() && thread == 0 && awaits;
        if let Some(to) = to {
            let is_other = to.number() != node.number();
            let is_last = is_other || !awaits || token.is_none() && !is_noted;
            // The root awaits the second node unless what it sends is stored.
            let is_not_awaited = is_other && !root && is_stored;
            self.log.comes(NotedNode::of(&to, parts.saturating_sub(is_not_awaited.into()), is_last), (begin, site));
            if flow != Flow::FromRoot || root {
                self.links.comes(Some(to), (begin, site));
            }
        }
        // Ranks that need nothing hand their data over, or in a tree what others come with.
        let kind = if needs { WayKind::Together(ranks) } else { WayKind::Through(ranks) };
        let noted = (NotedNode::of(&node, parts, true), kind, bytes);
        if is_noted {
            self.log.awaits(noted);
        }
        if token.is_none() && needs {
            self.links.awaits(Some(node.clone()), None);
        }
        if awaits
            && let Some(Token::Request(thread, number)) = token
            && let Some(collective) = self.requests.get(thread, number).and_then(|request| request.collective.as_mut())
        {
            collective.node = Some(AwaitedNode { node, noted, needs });
        }
    }

    /// Begins the rank's part in an operation; a nonblocking one ends with the request of `token`.
    fn join(&mut self, object: u32, ordinal: Ordinal, part: OperationPart, token: Option<Token>) {
        // MPI_Comm_accept and MPI_Comm_connect are one operation under two names, so it is not listed.
        let Some(operations) = self.shared.operations.filter(|_| part.function > 0) else { return };
        if let Some(Token::Request(thread, number)) = token {
            self.under_way.insert((thread, number), (object, ordinal));
        }
        operations.begin(object, ordinal, part);
    }

    /// Records that the rank reaches a neighborhood collective call. Each rank has a node of its own, from `first` on.
    /// Returns this rank's node.
    fn come_to_neighbors(&mut self, object: u32, first: &CollectiveNode, begins: (i64, u32)) -> Option<CollectiveNode> {
        let neighbors = self.shared.collectives.objects.neighbors(self.number, object)?;
        for whom in &neighbors.destinations {
            let node = first.other(*whom);
            self.log.comes(NotedNode::of(&node, node.needed() + 1, true), begins);
            self.links.comes(Some(node), begins);
        }
        Some(first.other(neighbors.own))
    }
}
