//! Columns of what looks at a run that goes on or hangs.

/// Table, key, meaning.
pub const STANDING: &[(&str, &str, &str)] = &[
    // hang
    ("wavefront", "ranks", "The ranks of the communicator that stand at the same place."),
    ("wavefront", "rank_count", "How many these are."),
    (
        "wavefront",
        "collective_calls",
        "How many collective calls they have come to there, the one they are in among them.",
    ),
    ("wavefront", "stands", "The call they are in, or made last."),
    ("wavefront", "since_s", "How long the first of them has been there."),
    (
        "standing",
        "state",
        "Where the rank is: in_mpi, in a call; polling, in calls that ask in vain; outside MPI; asleep there; stopped; dead; finalized.",
    ),
    (
        "standing",
        "thread",
        "The thread, from 0, in the order in which they first called MPI; empty where one thread of the rank has.",
    ),
    ("standing", "host", "The host that the rank runs on."),
    ("standing", "pid", "Its process id there."),
    ("standing", "function", "The MPI function it is in; outside MPI, the last one."),
    (
        "standing",
        "peer",
        "The rank at the other end as the program names it, or any; the source behind it, if there are two.",
    ),
    ("standing", "tag", "The tag it was given, or any."),
    ("standing", "bytes", "Bytes that the call sends or has room for."),
    (
        "standing",
        "pending_requests",
        "Requests that have begun and of which the program was not told that they are complete.",
    ),
    ("standing", "since_s", "How long it has been there."),
    (
        "standing",
        "waits_for_ever",
        "Whether nothing can free the rank any more, as far as the verdict goes: yes or no.",
    ),
    (
        "reasons",
        "reason",
        "Why it hangs: stopped, dead, finished, mismatch, missing, tag, taken, lock, cycle, knot or silent.",
    ),
    ("reasons", "ranks", "The ranks that cause it."),
    ("reasons", "detail", "The same in words, with the calls and their sites."),
    // top
    ("top", "host", "The host that the rank runs on."),
    ("top", "core", "The core that its first thread last ran on, if the rank is of this host."),
    (
        "top",
        "state",
        "Where the rank is: in_mpi, in a call; polling, in calls that ask in vain; outside MPI; asleep there; stopped; dead; finalized.",
    ),
    ("top", "function", "The MPI function it is in; outside MPI, the last one."),
    (
        "top",
        "partner",
        "The rank at the other end as the program names it; of a collective call, how many ranks have come to it.",
    ),
    ("top", "tag", "The tag it was given, or any."),
    ("top", "since_s", "How long it has been there."),
    (
        "top",
        "mpi_share_percent",
        "The share of its threads' time in MPI, of the last seconds: at most five, with --once a fifth of one.",
    ),
    ("top", "sent_byte_rate", "Bytes handed out a second, of the same time."),
    ("top", "empty_entry_rate", "Entries into the progress engine a second that achieved nothing, of the same time."),
    (
        "top",
        "pending_requests",
        "Requests that have begun and of which the program was not told that they are complete.",
    ),
    ("top", "oldest_request_s", "How long ago the oldest of them was begun."),
    (
        "top",
        "data_age_s",
        "How long ago the rank's file last changed, as seen from here: a rank that computes writes nothing, and what another host writes may be seen late, unless --launcher reads it there.",
    ),
];
