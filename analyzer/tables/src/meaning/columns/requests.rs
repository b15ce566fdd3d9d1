//! Columns of nonblocking requests, of messages and of collective calls alike.

/// Key, meaning.
pub const REQUESTS: &[(&str, &str)] = &[
    ("availability_requests", "On how many requests the availability rests."),
    ("availability_least_percent", "The least that the availability may be, with 95 % confidence."),
    ("availability_most_percent", "The most that the availability may be, with 95 % confidence."),
    (
        "overlap_percent",
        "The share of the transfer that cost the program nothing, median: 1 - overhead / transfer, of requests that computed \
         at least a quarter of it.",
    ),
    ("overlap_least_percent", "The least that this may be, with 95 % confidence, if what recording takes counts."),
    ("overlap_most_percent", "The most that this may be, with 95 % confidence."),
    (
        "hidden_least_percent",
        "The least of the transfer that was hidden, by the largest known transfer that is not larger; empty where none is \
         known, since it cannot be told.",
    ),
    (
        "hidden_most_percent",
        "The most that can have been hidden, by when the request was over, by what was computed, and by equal requests \
         that nothing overlapped.",
    ),
    ("life_mean_s", "From the post of a request to the end of the wait for it, mean without the first requests."),
    ("post_mean_s", "Time in the call that posts, mean without the first requests."),
    ("test_mean_s", "Time in calls that test, mean without the first requests."),
    ("wait_mean_s", "Time in calls that wait, mean without the first requests."),
    ("overhead_mean_s", "These three together, mean without the first requests; each rank weighs the same."),
    ("overhead_mean_least_s", "The least that this may be, with 95 % confidence."),
    ("overhead_mean_most_s", "The most that this may be, with 95 % confidence."),
    (
        "transfer_mean_s",
        "How long a transfer takes that nothing overlaps, mean without the first requests: interruptions count.",
    ),
    ("transfer_mean_least_s", "The least that this may be, with 95 % confidence."),
    ("transfer_mean_most_s", "The most that this may be, with 95 % confidence."),
    (
        "smb_base_s",
        "What Sandia's mpi_overhead prints as its base: an iteration that no work has lengthened, with what its loop holds \
         besides, as a barrier. Of loops that work longer from level to level; of the first rank that has one.",
    ),
    ("smb_overhead_s", "What its last level's iteration takes beyond its work."),
    (
        "smb_availability_percent",
        "1 - overhead / base, as it prints it; less than 0 where the last level was disturbed.",
    ),
    ("smb_levels", "How many levels of work the loop has."),
    ("smb_iterations", "How many iterations a level has."),
    (
        "smb_work",
        "Where the work was timed: alone, behind the loop, as the benchmark does; or in the loop, where nothing like it \
         follows.",
    ),
    (
        "osu_pure_s",
        "What the OSU benchmarks print of such operations alone: mean over ranks, by a timer in the program that sees \
         recording and itself.",
    ),
    ("osu_overall_s", "The same with computation between post and wait."),
    ("osu_init_s", "The same of the call that begins the operation."),
    ("osu_wait_s", "The same of the wait for it."),
    (
        "osu_overlap_percent",
        "Overlap as they define it: 100 - (overall - computation) / pure, at least 0, of these means.",
    ),
    ("osu_overlap_least_percent", "The least that this may be, with 95 % confidence, whether recording counts or not."),
    ("osu_overlap_most_percent", "The most that this may be, with 95 % confidence, whether recording counts or not."),
    (
        "imb_pure_s",
        "What IMB-NBC prints of such operations alone: mean of the rank whose overlapped ones take longest, with the first \
         ones, by a timer that sees recording.",
    ),
    ("imb_overlapped_s", "The same with computation between post and wait."),
    ("imb_computation_s", "The computation of these."),
    (
        "imb_overlap_percent",
        "Overlap as IMB has defined it since 2018: (pure + computation - overlapped) / the larger of pure and computation, \
         from 0 to 100.",
    ),
];
