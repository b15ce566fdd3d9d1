//! Messages that a rank received after later ones of the same sender, so that the library had to look past them.
//!
//! In: the messages to a rank in the order of their sends, its receives in the order of their completions. Out: for each line that
//! posted receives, the time that messages lay there, and the number that the library passed over to find the right one: the
//! messages that its sender sent before it and that were still to be received. Pairs come in any order, and are counted in that of
//! the receives.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::roles::SpottedSite;
use crate::sums::Grow;

/// Number of messages in a block.
const BLOCK: u64 = 4096;
/// Earlier blocks count for later messages as they are, so that messages that are never received cost no time.
const MOST_BLOCKS: usize = 1024;
/// More receives do not wait for an earlier one, which may never be known: it was cut off.
const MOST_WAITING: usize = 1 << 20;

/// Receives posted at one line of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct QueuedMessages {
    pub messages: u64,
    /// Messages that were sent before their receive was posted.
    pub unexpected: u64,
    /// Total time from their sends until their receives were posted, nanoseconds.
    pub lay: i64,
    /// Messages or receives that were passed over.
    pub passed_over: u64,
    /// The last line that completed a receive.
    pub completed_at: SpottedSite,
}

/// A rank's counts so far.
#[derive(Default)]
pub struct PassedOver {
    senders: FxHashMap<u32, Sender>,
    pub by_site: FxHashMap<SpottedSite, QueuedMessages>,
}

/// One sender's messages so far.
#[derive(Default)]
struct Sender {
    sent: u64,
    received: u64,
    /// Number of receives that were counted, and those behind them that wait for an earlier one.
    counted: u64,
    waiting: FxHashMap<u64, Option<QueuedMessage>>,
    /// Without blocks, number of the first message that was not received: no later one was.
    first: u64,
    /// Blocks of which some messages were not received, by number; they begin up to the last message received.
    blocks: BTreeMap<u64, Block>,
    /// Number of blocks that have begun.
    begun: u64,
    /// Messages that were not received of blocks that are not kept any more.
    left: u64,
}

/// Messages in the order of their sends.
struct Block {
    /// Number of messages that were not received.
    left: u64,
    /// A bit for each message, set if it was not received.
    bits: [u64; (BLOCK / 64) as usize],
}

/// A message whose receive is known.
#[derive(Clone, Copy)]
struct QueuedMessage {
    number: u64,
    posted_at: SpottedSite,
    lay: i64,
    completed_at: SpottedSite,
}

impl PassedOver {
    /// The number of the sender's next message.
    pub fn send(&mut self, source: u32) -> u64 {
        next(&mut self.senders.entry(source).or_default().sent)
    }

    /// The number of the next receive of the sender's messages.
    pub fn receive(&mut self, source: u32) -> u64 {
        next(&mut self.senders.entry(source).or_default().received)
    }

    /// Adds the receive with number `received` of a message with number `sent`, and the line that posted it.
    pub fn add(
        &mut self,
        source: u32,
        posted_at: SpottedSite,
        (number, received): (u64, u64),
        lay: i64,
        completed_at: SpottedSite,
    ) {
        self.know(source, received, Some(QueuedMessage { number, posted_at, lay, completed_at }));
    }

    /// Adds a receive whose message is unknown, so that those behind it can be counted.
    pub fn leave_out(&mut self, source: u32, received: u64) {
        self.know(source, received, None);
    }

    /// Leaves out a message whose receive is unknown, so that none counts as taken past it.
    pub fn forget(&mut self, source: u32, number: u64) {
        self.senders.entry(source).or_default().take(number);
    }

    fn know(&mut self, source: u32, received: u64, message: Option<QueuedMessage>) {
        let sender = self.senders.entry(source).or_default();
        let mut message = message;
        if received != sender.counted {
            sender.waiting.insert(received, message);
            if sender.waiting.len() <= MOST_WAITING {
                return;
            }
            let Some(first) = sender.waiting.keys().min().copied() else { return };
            (sender.counted, message) = (first, sender.waiting.remove(&first).flatten());
        }
        let mut next = Some(message);
        while let Some(message) = next {
            if let Some(message) = message {
                count(&mut self.by_site, &message, sender.take(message.number));
            }
            sender.counted += 1;
            next = if sender.waiting.is_empty() { None } else { sender.waiting.remove(&sender.counted) };
        }
    }

    /// Counts receives that still wait for an earlier one, whose message never came.
    pub fn finish(&mut self) {
        for sender in self.senders.values_mut() {
            let mut rest: Vec<(u64, Option<QueuedMessage>)> = sender.waiting.drain().collect();
            rest.sort_unstable_by_key(|(received, _)| *received);
            for message in rest.into_iter().filter_map(|(_, message)| message) {
                count(&mut self.by_site, &message, sender.take(message.number));
            }
        }
    }
}

fn count(by_site: &mut FxHashMap<SpottedSite, QueuedMessages>, message: &QueuedMessage, passed_over: u64) {
    if !message.posted_at.counts() {
        return;
    }
    let queued = by_site.entry(message.posted_at).or_default();
    queued.messages.grow(1);
    queued.unexpected.grow(u64::from(message.lay > 0));
    queued.lay.grow(message.lay.max(0));
    queued.passed_over.grow(passed_over);
    queued.completed_at = message.completed_at;
}

impl Sender {
    /// Marks a message as received. Returns the number of those before it that were not.
    fn take(&mut self, number: u64) -> u64 {
        if self.blocks.is_empty() {
            if number == self.first {
                self.first += 1;
                return self.left;
            }
            self.begin();
        }
        let passed_over = self.take_in_block(number);
        if self.blocks.is_empty() {
            self.first = self.begun * BLOCK;
        }
        passed_over
    }

    /// Begins the block of the first message that was not received.
    fn begin(&mut self) {
        let (block, received) = (self.first / BLOCK, self.first % BLOCK);
        let mut began = Block::new();
        began.left -= received;
        let (whole, part) = ((received / 64) as usize, received % 64);
        began.bits[..whole].fill(0);
        began.bits[whole] <<= part;
        self.blocks.insert(block, began);
        self.begun = block + 1;
    }

    fn take_in_block(&mut self, number: u64) -> u64 {
        let (block, at) = (number / BLOCK, number % BLOCK);
        while self.begun <= block {
            self.blocks.insert(self.begun, Block::new());
            self.begun += 1;
            if self.blocks.len() > MOST_BLOCKS
                && let Some((_, first)) = self.blocks.pop_first()
            {
                self.left += first.left;
            }
        }
        let before = self.blocks.range(..block).map(|(_, block)| block.left).sum::<u64>();
        let Some(own) = self.blocks.get_mut(&block) else { return 0 };
        let inside = own.take(at);
        if own.left == 0 {
            self.blocks.remove(&block);
        }
        self.left + before + inside
    }
}

impl Block {
    fn new() -> Block {
        Block { left: BLOCK, bits: [u64::MAX; (BLOCK / 64) as usize] }
    }

    fn take(&mut self, at: u64) -> u64 {
        let (word, bit) = ((at / 64) as usize, at % 64);
        let before = self.bits[..word].iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let beside = u64::from((self.bits[word] & ((1 << bit) - 1)).count_ones());
        if self.bits[word] & (1 << bit) != 0 {
            self.bits[word] &= !(1 << bit);
            self.left -= 1;
        }
        before + beside
    }
}

fn next(count: &mut u64) -> u64 {
    let number = *count;
    count.grow(1);
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed_over(numbers: &[(u64, u64)]) -> QueuedMessages {
        let mut all = PassedOver::default();
        for (number, received) in numbers {
            all.add(0, SpottedSite::default(), (*number, *received), 10, SpottedSite::default());
        }
        all.finish();
        all.by_site[&SpottedSite::default()]
    }

    #[test]
    fn messages_taken_last_first_pass_over_all_before_them_and_in_order_over_none() {
        let figures = |queued: QueuedMessages| (queued.messages, queued.passed_over, queued.lay);
        assert_eq!(figures(passed_over(&[(3, 0), (2, 1), (1, 2), (0, 3)])), (4, 6, 40));
        assert_eq!(figures(passed_over(&[(0, 0), (1, 1), (2, 2), (3, 3)])), (4, 0, 40));
        assert_eq!(figures(passed_over(&[(1, 0), (0, 1), (2, 2)])), (3, 1, 30));
    }

    #[test]
    fn three_thousand_messages_taken_last_first_pass_over_half_of_them_in_the_mean() {
        let reversed: Vec<(u64, u64)> = (0..3000).map(|received| (2999 - received, received)).collect();
        assert_eq!(passed_over(&reversed).passed_over, 3000 * 2999 / 2);
    }

    #[test]
    fn messages_of_many_blocks_are_counted_as_those_of_one() {
        let count = 3 * BLOCK;
        let reversed: Vec<(u64, u64)> = (0..count).map(|received| (count - 1 - received, received)).collect();
        assert_eq!(passed_over(&reversed).passed_over, count * (count - 1) / 2);
    }

    #[test]
    fn messages_passed_over_now_and_then_are_counted_wherever_they_lie() {
        // Each hundredth message is taken after the ten behind it, also over the end of a block.
        let mut numbers: Vec<u64> = (0..3 * BLOCK).collect();
        for at in (0..numbers.len() - 10).step_by(100) {
            numbers[at..at + 11].rotate_left(1);
        }
        let late = (0..numbers.len() - 10).step_by(100).count() as u64;
        let pairs: Vec<(u64, u64)> = numbers.into_iter().zip(0..).collect();
        assert_eq!(passed_over(&pairs).passed_over, 10 * late);
    }

    #[test]
    fn pairs_count_in_the_order_of_the_receives_in_whichever_they_come() {
        let mut numbers: Vec<(u64, u64)> = (0..200).map(|received| (199 - received, received)).collect();
        numbers.sort_unstable();
        assert_eq!(passed_over(&numbers).passed_over, 200 * 199 / 2);
    }

    #[test]
    fn a_receive_whose_message_is_unknown_holds_up_no_other() {
        let mut all = PassedOver::default();
        let mut add = |number, received| {
            all.add(0, SpottedSite::default(), (number, received), 10, SpottedSite::default());
        };
        add(1, 1);
        add(0, 3);
        all.leave_out(0, 0);
        assert_eq!(all.by_site[&SpottedSite::default()].messages, 1, "the other waits for the receive before it");
        all.finish();
        assert_eq!(all.by_site[&SpottedSite::default()].messages, 2);
    }
}
