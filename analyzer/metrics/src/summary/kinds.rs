//! The kinds of findings, of which each has a rule: a row with its meaning, key, subject, planted program, files with limits, and cure.

/// Hands the rows to a macro: here for the kinds, in `rules.rs` for what readers of a rule ask.
macro_rules! rules {
    ($table:ident) => {
        $table! {
            /// MPI refused to make more of the objects that the program does not free.
            Refused "refused" Run, shown by none, limits [],
                "Free them after their last use, or make them once and keep them.";
            /// The run did not end well: a signal, a status, or the end of the launcher.
            Ended "ended" Run, shown by none, limits [],
                "Look for what ended it; the figures are of what had been done until then.";
            /// The run goes on, or a part of it is missing.
            Unfinished "unfinished" Run, shown by none, limits [whole],
                "Ask again when it is over, or fetch the files that are missing.";
            /// A rank ended the run by MPI_Abort, or ended on its own.
            Aborted "aborted" Run, shown by "aborted", limits [],
                "Look at the named call for the reason.";
            /// Ranks are in calls that have not returned.
            Stuck "stuck" Run, shown by none, limits [],
                "See for which rank they wait, and what that one has not done: `overhear hang`.";
            /// Ranks, or their threads, outnumber the cores that they may use.
            Oversubscribed "oversubscribed" Machine, shown by none, limits [],
                "Run as many ranks as there are cores, or bind each to a core of its own.";
            /// Other processes of a host keep its cores busy.
            BusyHost "busy_host" Machine, shown by none, limits [],
                "Ask again while nothing else runs there.";
            /// Ranks are kept from running for another reason.
            NotRunning "not_running" Machine, shown by none, limits [machine],
                "Bind each rank to a core of its own.";
            /// All ranks of a host compute longer than those of the others.
            SlowHost "slow_host" Rest, shown by none, limits [slow_host],
                "Compare the host's cores, clock and load with those of the others.";
            /// A rank always has more to do than others, or by its totals if nothing tells for whom they wait.
            LateRank "late_rank" Work, shown by "late_rank", limits [sampled_work late_reason lateness late_ranks uneven_totals],
                "Spread the work more evenly, or cure what slows that rank down.";
            /// A rank works while all others wait.
            SerialWork "serial_work" Work, shown by "serial_work", limits [],
                "Divide that work among all ranks, or let the others go on meanwhile.";
            /// Now and then a rank takes much longer than usual.
            SporadicDelay "sporadic_delay" Work, shown by "sporadic_delay", limits [wait_advice],
                "Look for what interrupts that work, or make each step's work even.";
            /// Ranks work one after another.
            Chain "chain" Work, shown by "chain", limits [late_findings],
                "Hand on results in smaller pieces, or change the order of the work.";
            /// An MPI call that one rank makes keeps others waiting.
            SlowCall "slow_call" LateCalls, shown by "slow_file", limits [],
                "Let all ranks take part in it, or make it while the others compute.";
            /// Ranks wait for the lock of a window that another rank has.
            LockContention "lock_contention" Calls, shown by "lock_contention", limits [],
                "Hold the lock for the access alone, or share it.";
            /// A send waits until the receiver has posted its receive.
            LateReceiver "late_receiver" LateCalls, shown by "waiting_sender", limits [],
                "Post the receive before the work that delays it.";
            /// Messages are smaller than what libraries can buffer, and wait for their receive.
            EagerLimit "eager_limit" LateCalls, shown by "eager_limit", limits [eager_limit],
                "Raise the limit to which messages are sent at once, or post the receive earlier.";
            /// Sends wait because their receiver takes messages more slowly than they come.
            SlowReceiver "slow_receiver" Calls, shown by "slow_receiver", limits [slow_receivers],
                "Give the receiver less to do, or send fewer and larger messages.";
            /// Messages are received in another order than they come.
            WrongOrder "wrong_order" Calls, shown by "wrong_order", limits [wrong_order],
                "Take messages as they come: MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Waitany.";
            /// Messages lie at their receiver, ever more of them.
            Untaken "untaken" Calls, shown by "unread_log", limits [],
                "Receive them as they come, or send them when they are wanted.";
            /// Many small messages go to the same rank in a row.
            SmallMessages "small_messages" Calls, shown by "small_messages", limits [small_messages calls_behind],
                "Collect them in a buffer, and send one message to each rank.";
            /// Many small collective calls stand in a row.
            SmallCollectives "small_collectives" Calls, shown by "small_collectives", limits [small_collectives calls_behind],
                "Combine the values in one array, and make one call.";
            /// Threads of a rank hinder each other in MPI.
            ThreadsTogether "threads_together" Calls, shown by "threads_together", limits [threads_together],
                "Let one thread of each rank make the calls, or give each thread a core of its own.";
            /// Calls take far longer than to copy their bytes, and datatypes have gaps.
            DataInPieces "data_in_pieces" Calls, shown by "data_in_pieces", limits [data_in_pieces],
                "Let what is sent lie side by side, or describe it by longer pieces.";
            /// An epoch of a window has few small accesses, and many stand in a row.
            SmallEpochs "small_epochs" Calls, shown by "small_epochs", limits [small_epochs],
                "Put all accesses of a row into one epoch.";
            /// Communicators, windows or files are made again and again.
            MadeAgain "made_again" Calls, shown by "made_again", limits [made_again],
                "Make it once, before the loop, and keep it.";
            /// Objects are made and never freed, or requests begun and never completed.
            Leak "leak" Calls, shown by "left_receives", limits [leaks],
                "Free each after its last use, or make it once and keep it; complete each request.";
            /// Calls at one line take longer and longer.
            Drift "drift" Calls, shown by "late_wait", limits [],
                "Complete or free what grows meanwhile, as the run goes on.";
            /// Tests find nothing: between small pieces of work, or because the rank does nothing else.
            Polling "polling" Calls, shown by "polling", limits [polling poll_waits],
                "Poll after larger pieces of work, or wait by a blocking call.";
            /// Single messages do what a collective call does.
            CollectiveByHand "collective_by_hand" Calls, shown by "collective_by_hand", limits [by_hand there_and_back],
                "Use the collective call.";
            /// A barrier costs every rank its share.
            NeedlessBarrier "needless_barrier" Calls, shown by "needless_barrier", limits [needless_barrier],
                "Remove the barrier unless the algorithm needs it.";
            /// Requests, or accesses to another rank's window, are pending and nothing moves them.
            Unprogressed "unprogressed" Calls, shown by "unprogressed", limits [progress passive_targets],
                "Call MPI_Test or MPI_Iprobe during the computation, or let a thread of the library move them.";
            /// Threads of OpenMP have nothing to do while the thread that leads them is in MPI.
            IdleThreads "idle_threads" Rest, shown by none, limits [idle_threads],
                "Let them compute meanwhile, or shorten the calls.";
            /// A thread of OpenMP works longer in a parallel region than the others.
            UnevenRegion "uneven_region" Rest, shown by none, limits [uneven_regions],
                "Divide the region's work more evenly.";
            /// Every rank spends time in the kernel between its calls.
            KernelTime "kernel_time" Rest, shown by "kernel_time", limits [kernel_time],
                "Use memory again in place of fresh pages, and make fewer system calls.";
            /// Every rank spends time in files between its calls.
            FileTime "file_time" Rest, shown by "file_time", limits [file_time],
                "Make fewer and larger accesses, or let one rank or a thread make them while the others compute.";
            /// Ranks of one host send to each other through sockets.
            Sockets "sockets" Rest, shown by none, limits [sockets],
                "See which transport the settings choose: shared memory is faster.";
            /// MPI calls take time that no late rank explains.
            Transfer "transfer" Rest, shown by "transfer", limits [transfer],
                "Send fewer bytes, or begin earlier and compute meanwhile.";
            /// Calls are with ranks that have no records here.
            UnseenRanks "unseen_ranks" Rest, shown by none, limits [],
                "Record the other ranks, too.";
            /// A rank waits for messages nearly all the time, and no rank waits for it.
            Serving "serving" Rest, shown by "serving", limits [serving],
                "Give it a share of the work, or run fewer ranks.";
        }
    };
}
pub(super) use rules;

macro_rules! kinds {
    ($($(#[doc = $meaning:literal])+ $kind:ident $key:literal $about:ident, shown by $example:tt, limits [$($file:ident)*], $cure:literal;)*) => {
        /// The rule that made a finding.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum FindingKind { $($(#[doc = $meaning])+ $kind),* }

        impl FindingKind {
            /// The name for programs.
            pub fn key(self) -> &'static str {
                match self { $(FindingKind::$kind => $key),* }
            }

            /// The finding in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(FindingKind::$kind => concat!($($meaning),+).trim_ascii()),* }
            }

            fn about(self) -> About {
                match self { $(FindingKind::$kind => About::$about),* }
            }
        }
    };
}

rules!(kinds);

/// The subject of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum About {
    /// The run's progress and end.
    Run,
    /// Ranks that were ready to run and did not.
    Machine,
    /// Late ranks: the sites that the finding names are the calls around their work, and not its cause.
    Work,
    /// Ranks that are late by calls.
    LateCalls,
    /// The calls at the sites that the finding names.
    Calls,
    /// Time of MPI, of a host, or of ranks as a whole.
    Rest,
}

impl FindingKind {
    /// True if the finding qualifies all others, and so comes before them whatever they cost, in the order of the kinds.
    pub fn is_about_the_run(self) -> bool {
        self.about() <= About::Machine
    }

    /// True if the finding is about how far the run came, and not about its time.
    pub(super) fn is_of_the_run(self) -> bool {
        self.about() == About::Run
    }

    /// True if the finding is that ranks came late.
    pub(super) fn is_of_lateness(self) -> bool {
        matches!(self.about(), About::Work | About::LateCalls)
    }

    /// True if the finding is that ranks were ready to run and did not.
    pub fn is_of_the_machine(self) -> bool {
        self.about() == About::Machine
    }

    /// True if the calls at the sites that the finding names are its cause.
    pub fn is_of_calls(self) -> bool {
        matches!(self.about(), About::Calls | About::LateCalls)
    }

    /// True if the sites that the finding names are the calls around the work, and not its cause.
    pub(super) fn is_of_work(self) -> bool {
        self.about() == About::Work
    }
}
