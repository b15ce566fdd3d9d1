//! A call in words: function, partner, tag, communicator and call site.

use traces::signature::Signature;

use crate::meaning;
use crate::whereabouts::{peer_of, tag_of};
use crate::words::object;
use model::Rank;
use model::rank::function;
use model::sites::Sites;
use tables::Column;

pub struct CallWords {
    pub function: Option<String>,
    pub partner: Option<String>,
    pub tag: Option<String>,
    pub communicator: Option<String>,
    pub site: Option<String>,
}

impl CallWords {
    pub fn of(rank: &Rank, call: Option<&Signature>, sites: &Sites) -> CallWords {
        CallWords {
            function: call.map(function),
            partner: call.and_then(peer_of),
            tag: call.and_then(tag_of),
            communicator: call.filter(|call| call.object != 0).map(|call| object(rank, call).0),
            site: call.filter(|call| call.site != 0).map(|call| sites.place(rank, call.site)),
        }
    }

    /// The columns of a thread's or request's call.
    pub fn columns<R: 'static>(of: fn(&R) -> &CallWords) -> Vec<Column<R>> {
        vec![
            Column::text("function", "function", move |row: &R| of(row).function.clone())
                .means("The MPI function it is in, or the last one; of a request, the one that began it."),
            Column::text("partner", "with", move |row: &R| of(row).partner.clone())
                .means("The rank at the other end, as the program names it.")
                .silent_empty(),
            Column::text("tag", "tag", move |row: &R| of(row).tag.clone())
                .means("The tag it was given, or any.")
                .silent_empty(),
            Column::text("communicator", "communicator", move |row: &R| of(row).communicator.clone())
                .means(meaning::COMMUNICATOR)
                .spare(1),
            Column::text("site", "call site", move |row: &R| of(row).site.clone()).means(meaning::SITE),
        ]
    }
}
