//! Topics of wait states.

use super::Topic;

/// The source of the states that Scalasca's catalogue has.
const SCALASCA: &str = "Scalasca's catalogue of performance properties (Geimer, Wolf, Wylie and others 2010)";

pub const ALL: &[Topic] = &[
    Topic {
        name: "late_sender",
        meaning: "A rank waits in a receive, or in the call that completes or probes for it, for a message that is not sent yet. Polls are no waits, except MPI_Iprobe in a loop that spends less time between its calls than in them.",
        formula: "begin of the send - begin of the waiting call, no longer than that call",
        source: SCALASCA,
        advice: "Look at what the sender did before: `waits` names its rank and line, `imbalance` and `path` say whether it had more to compute. \
                 Balance the work, send earlier, or post the receive with MPI_Irecv and compute meanwhile.",
    },
    Topic {
        name: "wrong_order",
        meaning: "The same as late_sender, where another message that the rank received only later had been sent before the wait began.",
        formula: "as late_sender",
        source: SCALASCA,
        advice: "Receive in the order of arrival: MPI_ANY_SOURCE, MPI_Waitany or MPI_Waitsome over all receives that are open.",
    },
    Topic {
        name: "late_receiver",
        meaning: "A send, or the call that completes it, lasts until its receive is posted: the message is too long to be stored on the way.",
        formula: "begin of the receive - begin of the waiting call, no longer than that call",
        source: SCALASCA,
        advice: "Post the receive earlier, send with MPI_Isend and compute meanwhile, or raise the library's limit for eager messages.",
    },
    Topic {
        name: "wait_at_barrier",
        meaning: "A rank is in MPI_Barrier, or in MPI_Win_free, before the last one has entered it.",
        formula: "begin of the last rank's call - begin of this one",
        source: SCALASCA,
        advice: "Ask whether the program needs the barrier at all. If so, balance the work before it: the rank that `waits` names came last.",
    },
    Topic {
        name: "barrier_completion",
        meaning: "A rank is still in MPI_Barrier, or in MPI_Win_free, after the first one has left it.",
        formula: "end of the call - end of the call of the rank that left first",
        source: SCALASCA,
        advice: "Usually small. Where it is not, ranks share processors, or the library's algorithm suits the network badly.",
    },
    Topic {
        name: "wait_at_nxn",
        meaning: "A rank is in a collective call in which each needs something of all, such as MPI_Allreduce or MPI_Alltoall, before the last \
                  has entered it.",
        formula: "begin of the last rank's call - begin of this one",
        source: SCALASCA,
        advice: "Balance the work before the call. A nonblocking form lets the ranks that are early compute on; fewer, larger calls wait less \
                 often.",
    },
    Topic {
        name: "nxn_completion",
        meaning: "A rank is still in such a call after the first one has left it.",
        formula: "end of the call - end of the call of the rank that left first",
        source: SCALASCA,
        advice: "Compare algorithms of the library, and look whether ranks share processors.",
    },
    Topic {
        name: "late_broadcast",
        meaning: "A rank waits in MPI_Bcast or MPI_Scatter for the root, which enters later.",
        formula: "begin of the root's call - begin of this one",
        source: SCALASCA,
        advice: "Have the root broadcast before it does other work, or use MPI_Ibcast.",
    },
    Topic {
        name: "early_reduce",
        meaning: "The root waits in MPI_Reduce or MPI_Gather for a rank that enters later.",
        formula: "begin of the last rank's call - begin of the root's",
        source: SCALASCA,
        advice: "Balance the work before the call, or use MPI_Ireduce: the root is often the one with something else to do.",
    },
    Topic {
        name: "wait_to_hand_over",
        meaning: "The root of MPI_Bcast or MPI_Scatter, or another rank in MPI_Reduce or MPI_Gather, is still in the call when the last rank \
                  enters, which takes its data: that is too long to be stored on the way. Calls of 4 KiB or less do not wait.",
        formula: "begin of the last rank's call - begin of this one, if that rank takes the data and this call lasts until then",
        source: "overhear, after Scalasca's late receiver",
        advice: "Balance the work before the call, or use MPI_Ibcast or MPI_Ireduce and compute meanwhile.",
    },
    Topic {
        name: "early_scan",
        meaning: "A rank waits in MPI_Scan or MPI_Exscan for one of the lower ranks, which enters later.",
        formula: "begin of the last of the lower ranks' calls - begin of this one",
        source: SCALASCA,
        advice: "Balance the work of the lower ranks before the call.",
    },
    Topic {
        name: "wait_at_neighbors",
        meaning: "A rank waits in a neighborhood collective for one of those it receives from, which enters later.",
        formula: "begin of the last of those neighbors' calls - begin of this one",
        source: "overhear, after Scalasca's wait at NxN",
        advice: "As for late_sender: look at the neighbor that `waits` names.",
    },
    Topic {
        name: "wait_at_fence",
        meaning: "A rank waits in MPI_Win_fence for the last one.",
        formula: "begin of the last rank's call - begin of this one",
        source: SCALASCA,
        advice: "Synchronize only those that exchange something: MPI_Win_post, start, complete and wait, or locks.",
    },
    Topic {
        name: "wait_at_create",
        meaning: "A rank waits for the last one in a call that makes a communicator, window or file.",
        formula: "begin of the last rank's call - begin of this one",
        source: SCALASCA,
        advice: "Make such objects once and keep them.",
    },
    Topic {
        name: "late_post",
        meaning: "A rank waits in MPI_Win_start, or in MPI_Win_complete if the library puts it off, for a target that has not posted yet.",
        formula: "begin of the last target's MPI_Win_post - begin of the waiting call",
        source: SCALASCA,
        advice: "Have the target open its window earlier.",
    },
    Topic {
        name: "early_wait",
        meaning: "A rank waits in MPI_Win_wait for an origin that has not completed its access yet.",
        formula: "begin of the last origin's MPI_Win_complete - begin of the waiting call",
        source: SCALASCA,
        advice: "Give the target something else to do before it waits, or ask with MPI_Win_test.",
    },
    Topic {
        name: "lock_contention",
        meaning: "A rank waits in MPI_Win_lock for a lock that another holds, one of the two being exclusive.",
        formula: "begin of the other rank's MPI_Win_unlock - begin of the waiting call, or end of the other rank's MPI_Win_lock if that is later; of each rank that has the lock in turn",
        source: "overhear: a rank is taken to hold a lock from the end of its MPI_Win_lock to the begin of its MPI_Win_unlock",
        advice: "Shorten what is done under the lock, use MPI_LOCK_SHARED where nothing is written, or spread the data over more targets.",
    },
];
