//! Topics of efficiencies and other metrics.

use super::Topic;

const POP: &str = "POP Centre of Excellence, standard metrics for parallel performance analysis (pop-coe.eu)";

pub const ALL: &[Topic] = &[
    Topic {
        name: "global efficiency",
        meaning: "How much faster the ranks were than the fewest ranks measured, of what would be ideal.",
        formula: "parallel efficiency x computation scalability",
        source: POP,
        advice: "Look at the smaller of its two factors first.",
    },
    Topic {
        name: "parallel efficiency",
        meaning: "The share of the ranks' time in which they computed: what communication and waiting left of it.",
        formula: "mean useful time of the ranks / time of the run = load balance x communication efficiency",
        source: POP,
        advice: "Look at the smallest of its factors first. Above 80 % there is little to gain.",
    },
    Topic {
        name: "load balance",
        meaning: "How evenly the ranks computed.",
        formula: "mean useful time of the ranks / longest useful time of a rank",
        source: POP,
        advice: "`imbalance` names the rank with the most, `report --by region` the part of the program. Divide the work more evenly.",
    },
    Topic {
        name: "communication efficiency",
        meaning: "What communication left of the time of the rank that computed longest.",
        formula: "longest useful time of a rank / time of the run = serialization efficiency x transfer efficiency",
        source: POP,
        advice: "Its two factors say whether ranks wait for each other, or for the network.",
    },
    Topic {
        name: "serialization efficiency",
        meaning: "What waiting for each other would leave if the network took no time: the ranks depend on each other in turn.",
        formula: "longest useful time of a rank / time of the run on an ideal network, replayed from its messages",
        source: POP,
        advice: "`waits` and `path` show the chain. Break it: compute what others wait for first, or communicate less often.",
    },
    Topic {
        name: "transfer efficiency",
        meaning: "What the network and the MPI library left.",
        formula: "time of the run on an ideal network / time of the run",
        source: POP,
        advice: "Send fewer or larger messages, overlap them with computation (`overlap`), and compare MPI libraries and their settings (`diff`).",
    },
    Topic {
        name: "computation scalability",
        meaning: "How much more the ranks computed together than the fewest ranks measured.",
        formula: "useful time of all ranks at the fewest ranks / useful time of all ranks; per rank with --weak",
        source: POP,
        advice: "Below 100 % work is done twice, or memory and caches are slower. Above, caches hold more.",
    },
    Topic {
        name: "imbalance time",
        meaning: "What an even spread of a function's time over the ranks could gain at most.",
        formula: "maximum over ranks - mean over ranks",
        source: "DeRose, Homer and Johnson, Euro-Par 2007",
        advice: "Time in a collective call is often the other side of computation that is uneven: look at (computation) first.",
    },
    Topic {
        name: "imbalance percentage",
        meaning: "The same as a share: 0 where all ranks take the same, 100 where one takes all.",
        formula: "imbalance time / maximum x n / (n - 1), for n ranks",
        source: "DeRose, Homer and Johnson, Euro-Par 2007",
        advice: "Compare it between functions; the imbalance time says what it is worth.",
    },
    Topic {
        name: "critical path",
        meaning: "The chain of computation and calls, through all ranks, that set the run's length: nothing else would shorten the run.",
        formula: "from the last event backwards; where a rank waited, on at the rank it waited for",
        source: "Boehme, Wolf and others, Euro-Par 2012",
        advice: "Shorten what stands first in `path`; what each place would save is an upper bound.",
    },
    Topic {
        name: "call path",
        meaning: "The functions of the program that a call is for, from the first one to MPI, each with the place where it calls the next.",
        formula: "return addresses on the stack as the call begins; inlined functions by the program's debugging information",
        source: "overhear",
        advice: "`paths` shows all as a tree, `paths --hot` where the waiting is, `--by path` names call sites by them in other tables.",
    },
    Topic {
        name: "sample",
        meaning: "Where a thread is between two calls of MPI each time it has used another period of processor time, with its call path. Samples say which functions compute.",
        formula: "samples in a function times the period; of n samples the error is about one in the root of n: 10 % of 100",
        source: "overhear",
        advice: "Record with --sample 10ms; `paths` has each function's computation, and the first screen names the one that makes a rank late.",
    },
    Topic {
        name: "communication layer",
        meaning: "The program's own functions around MPI's. A call site inside it says nothing of whose call it is.",
        formula: "functions that call nothing but MPI on the way to it, or such a function at one place, and that several places call; or those that \
                  --layer names",
        source: "overhear",
        advice: "`--by caller` names calls by the first place outside of it. `paths` lists what it found; name it yourself if it found too much or too little.",
    },
    Topic {
        name: "overhead",
        meaning: "Host overhead: the time in which the processor works for a message and cannot compute.",
        formula: "time in the calls that post, test and wait, for requests whose transfer could proceed meanwhile",
        source: "Doerfler and Brightwell, EuroPVM/MPI 2006",
        advice: "A long overhead of large messages means that the library moves them in the wait only: see availability.",
    },
    Topic {
        name: "availability",
        meaning: "Application availability: the share of a transfer in which the program can compute.",
        formula: "1 - overhead / transfer time",
        source: "Doerfler and Brightwell, EuroPVM/MPI 2006",
        advice: "Where it is low, call MPI_Test now and then while computing, use the library's progress thread, or a network that moves messages by itself.",
    },
    Topic {
        name: "LogGP",
        meaning: "What a message costs, by five parameters: latency L, overheads o_s of the sender and o_r of the receiver, gap g between two messages, and gap G for each byte.",
        formula: "a message of k bytes takes o_s + L + (k - 1) G + o_r",
        source: "Alexandrov, Ionescu, Schauser and Scheiman, SPAA 1995",
        advice: "`network` gives those that the run's messages determine. Where o and g weigh more than G, send fewer and larger messages.",
    },
    Topic {
        name: "starved",
        meaning: "A request was pending while nobody entered the MPI library: without help of the hardware nothing moved.",
        formula: "time from one entry into the progress engine to the next while a request is pending",
        source: "overhear, after Gabriel, UH-CS-10-02",
        advice: "Put an MPI_Test between the two lines that `progress` names, or have the library's progress thread run.",
    },
    Topic {
        name: "empty entries",
        meaning: "Entries into the MPI library's progress engine that achieved nothing.",
        formula: "entries - productive entries",
        source: "Gabriel, UH-CS-10-02",
        advice: "Many are the sign of waiting, not its cause. Where they cost time of others, have the library yield or block.",
    },
    Topic {
        name: "noise",
        meaning: "A difference of two sides that is no larger than runs of one side differ among themselves.",
        formula: "Welch's test finds no difference with 95 % confidence; of positive figures it compares logarithms, that is, the ratio",
        source: "B. L. Welch, Biometrika 34, 1947",
        advice: "Record more runs of each side, A and B in turn, on a machine that does nothing else.",
    },
    Topic {
        name: "perhaps",
        meaning: "A difference that would be one if this figure alone had been asked for. Among many figures, one in twenty is beyond noise by chance.",
        formula: "Welch's test finds a difference, but not after Holm's correction for all the figures that are shown",
        source: "S. Holm, Scandinavian Journal of Statistics 6, 1979",
        advice: "Believe it if it is large or you expected it; else record more runs of each side.",
    },
];
