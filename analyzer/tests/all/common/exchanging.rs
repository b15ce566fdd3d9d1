//! Ping-pong between two of three ranks, with messages of many sizes.

use traces::calls::Call;

use super::made::{Calls, on_nobody, send};
use super::{Folder, signature};

/// A message takes 800 ns and 0.25 ns per byte.
pub fn run() -> Folder {
    let [mut idle, mut one, mut two] = [Calls::default(), Calls::default(), Calls::default()];
    let receive = |from: i32, bytes: u64| signature(0, Call::Recv, from, 0, bytes);
    let mut now = 1_000;
    for _ in 0..10 {
        idle = idle.call(on_nobody(Call::Finalized), now, 20);
        for bytes in (3..=20).map(|power| 1 << power) {
            let time = 800 + bytes / 4;
            one = one.call(send(Call::Send, 2, bytes), now, 100).call(receive(2, bytes), now + 100, 2 * time - 100);
            two = two.call(receive(1, bytes), now, time).call(send(Call::Send, 1, bytes), now + time, 100);
            now += 20_000_000 / 18 + 2 * time;
        }
    }
    let folder = Folder::new();
    [idle, one, two].into_iter().zip(0..).for_each(|(calls, rank)| calls.write(&folder, rank, 3));
    folder
}
