//! Names receives that were too short for their message.

use super::totals::world_rank;
use super::words::{plural, rank_in_words, site_in_words};
use model::Run;
use model::matching::{Account, Overlong, RankSite};
use tables::WorldRank;
use tables::number::whole;

/// The sentences about receives that were too short: one for each of the first call sites, and one for the others.
pub fn sentences(run: &Run, account: &Account) -> Vec<String> {
    const SHOWN: usize = 3;
    let all = in_order(account);
    let mut said: Vec<String> =
        all.iter().take(SHOWN).map(|(at, message)| in_words(run, account, at, message)).collect();
    if all.len() > SHOWN {
        let more = plural((all.len() - SHOWN) as u64, "more call site");
        said.push(format!("receives at {more} were too short for their message: see the table"));
    }
    said
}

/// The first receive that is not complete since its message was too long, in words, with its rank and its call site.
pub fn ended(run: &Run, account: &Account) -> Option<(String, WorldRank, String)> {
    let (at, message) = in_order(account).into_iter().find(|(_, message)| message.open)?;
    let site = run.call_sites()[at.place.number()].site.clone();
    Some((in_words(run, account, &at, message), world_rank(&run.ranks[at.rank as usize]), site))
}

/// Sorts receives: incomplete ones first, then by the time of their post.
fn in_order(account: &Account) -> Vec<(RankSite, &Overlong)> {
    let mut all: Vec<(RankSite, &Overlong)> = account.overlong.iter().map(|(at, message)| (*at, message)).collect();
    all.sort_by_key(|(at, message)| (!message.open, message.posted, *at));
    all
}

fn in_words(run: &Run, account: &Account, at: &RankSite, message: &Overlong) -> String {
    let who = |of: &RankSite| rank_in_words(&run.ranks[of.rank as usize]);
    let call = |of: &RankSite| site_in_words(&run.call_sites()[of.place.number()]);
    let had = match message.open {
        true => "did not complete",
        false => "got an error from",
    };
    let calls = account.truncated.get(at).copied().filter(|calls| *calls > 1);
    let times = calls.map_or_else(String::new, |calls| format!(", {} times", whole(calls)));
    format!(
        "{} {had} {}{times}: it posted {} for a message of {} by {} in {} (MPI_ERR_TRUNCATE)",
        who(at),
        call(at),
        plural(message.room, "byte"),
        plural(message.sent, "byte"),
        who(&message.from),
        call(&message.from),
    )
}
