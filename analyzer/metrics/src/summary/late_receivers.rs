//! The findings on sends that wait until a rank has posted the receive.

use super::lateness::LateActivity;
use super::{Finding, FindingKind, eager_limit, stored_sizes};
use crate::totals::seconds;
use crate::words::{site_in_words, upper, verb};
use model::matching::{WaitKey, WaitState};
use model::roles::CallSite;
use tables::Value;
use traces::calls::Call;

/// True if senders wait there for few ranks to post their receives. Where all of the run waits for one rank's work, neither a buffer nor
/// an earlier receive makes it shorter.
/// Nor does either where the senders would wait for the same rank in their next call.
pub fn are_late(late: &LateActivity) -> bool {
    late.is_mostly(WaitState::LateReceiver)
        && 2 * late.culprits().len() <= late.known.ranks()
        && !late.is_bottleneck()
        && !late.main_wait_in(WaitState::LateReceiver).is_some_and(|wait| late.waits_again_at_once(wait))
}

/// The finding on senders that wait for a receive of `who`.
pub fn finding(late: &LateActivity, who: &str, place: &str) -> Finding {
    let main = late.main_wait_in(WaitState::LateReceiver);
    let sender_site = main.map(|wait| late.site_of(wait.waiter));
    let sends = sender_site.and_then(CallSite::line);
    of_sender(late, (who, place), (main, sender_site)).sites(sends.into_iter().collect())
}

fn of_sender(
    late: &LateActivity,
    (who, place): (&str, &str),
    (main, sender_site): (Option<WaitKey>, Option<&CallSite>),
) -> Finding {
    let sender = sender_site.map(site_in_words).unwrap_or_default();
    let ranks = late.culprits().len();
    let is_synchronous = sender_site.and_then(CallSite::call).is_some_and(Call::is_synchronous);
    let first = format!("{} {} {place} first", upper(who), verb(ranks, "computes", "compute"));
    if !is_synchronous && main.is_some_and(|wait| stored_sizes::is_stored(late.known, wait)) {
        let takes = verb(ranks, "takes", "take");
        let headline = format!("{sender} waits until {who} {takes} its message.");
        let next = format!(
            "Let {who} call MPI more often in that computation, such as MPI_Test, or compute less there. A receive posted earlier \
             does not help: messages of that size are not held back for it."
        );
        return Finding::new(FindingKind::LateReceiver, "waits", headline).detail(first + ".").next(next);
    }
    let receive = main.map(|wait| late.site_of(wait.cause));
    let has = verb(ranks, "has", "have");
    let headline = format!("{sender} waits until {who} {has} posted the receive.");
    let what = receive.map(site_in_words).unwrap_or_default();
    let earlier = match receive.and_then(CallSite::call) {
        Some(Call::Irecv | Call::Recv_init | Call::Start | Call::Startall) => {
            format!("move {what} before that computation.")
        }
        _ => format!("post the receive of {what} before that computation, by MPI_Irecv."),
    };
    let next = upper(&earlier);
    let bytes = main.filter(|_| !is_synchronous).and_then(|wait| late.bytes_sent(wait));
    if let Some(bytes) = bytes.filter(|bytes| buffer_pays(late, *bytes)) {
        let named = eager_limit::named(late.run()).filter(|limit| limit.bytes < bytes);
        let named = named.map_or_else(String::new, |limit| format!(", {}", limit.setting));
        let detail = format!(
            "{first}; messages above the eager limit (these are {}{named}) are sent only then.",
            Value::Bytes(bytes)
        );
        let limit = eager_limit::setting(late.run(), bytes);
        let next = format!("Let messages of that size be sent at once, into a buffer: {limit}. Or {earlier}");
        return Finding::new(FindingKind::EagerLimit, "waits", headline).detail(detail).next(next);
    }
    if is_synchronous {
        let next =
            format!("{next} If nothing needs to know that it has arrived, MPI_Send does not wait for small messages.");
        let detail = format!("{first}; a synchronous send returns only then.");
        return Finding::new(FindingKind::LateReceiver, "waits", headline).detail(detail).next(next);
    }
    let detail = format!("{first}; messages of that size are sent only then.");
    Finding::new(FindingKind::LateReceiver, "waits", headline).detail(detail).next(next)
}

/// True if copying messages of this size into a buffer would take much less time than their senders wait.
fn buffer_pays(late: &LateActivity, bytes: u64) -> bool {
    let least = eager_limit::least_bytes(late.run());
    eager_limit::pays(bytes, least, seconds(late.waited()) / late.cases().max(1) as f64)
}
