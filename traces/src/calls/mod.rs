//! The MPI calls, made from the [table](table) and the [kinds](kinds) of their arguments.

mod kinds;
mod table;

/// A C function of MPI as a trace stores it: the row's id, and a bit for the large-count form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call(u16);

#[derive(Debug)]
pub struct CallRow {
    /// The id on disk.
    pub id: u16,
    /// The name without `MPI_`.
    pub name: &'static str,
    /// The subject of the function, by which reports and filters group it.
    pub class: Class,
    /// Libraries that have the function: all, or some.
    pub reach: Reach,
    /// True if there is a large-count form, `MPI_X_c`.
    pub large: bool,
    /// Names and kinds of the arguments, in order.
    pub arguments: &'static [(&'static str, ArgumentKind)],
    /// The C type of the result.
    pub returns: Returns,
}

/// Decides if the interposer may export a function in every program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Every MPI library has the function, so the interposer may export it.
    Core,
    /// Some MPI library lacks it. Exporting it would make programs that test for it believe in it.
    Late,
}

/// The result of an MPI function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returns {
    /// An error code.
    Code,
    /// A double: `MPI_Wtime`, `MPI_Wtick`.
    Seconds,
    /// Anything else, with its C type: handles, addresses, Fortran integers.
    Value(&'static str),
}

macro_rules! classes {
    ($($class:ident $meaning:literal;)*) => {
        /// The subject of an MPI function.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Class { $(#[doc = $meaning] $class),* }

        impl Class {
            /// Every class, in the order of the table.
            pub const ALL: &'static [Class] = &[$(Class::$class),*];

            /// The class in one line.
            pub fn meaning(self) -> &'static str {
                match self { $(Class::$class => $meaning),* }
            }
        }
    };
}

classes! {
    Lifecycle "start and end of MPI";
    PointToPoint "sends and receives, their persistent and partitioned forms";
    Probe "probing for messages";
    Completion "waiting and testing for requests";
    Collective "collective communication";
    Neighborhood "neighborhood collectives";
    Rma "one-sided communication and its synchronization";
    Window "making and freeing windows";
    Io "reading and writing files";
    File "opening, closing and describing files";
    Communicator "making and freeing communicators";
    Topology "making process topologies";
    Process "spawning, connecting and accepting processes";
    Session "sessions";
    Group "groups";
    Datatype "making datatypes, packing";
    Operation "reduction operations";
    Attribute "attributes";
    Info "info objects";
    Errhandler "error handlers";
    Buffer "buffers for buffered sends";
    Environment "memory, profiling control";
    Tool "the tool information interface MPI_T";
    Query "reading local state: ranks, sizes, times, handles, statuses";
}

impl Class {
    /// The name a filter takes, in lower case: `pointtopoint`, `collective`, ...
    pub fn filter_name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// True if all its calls are local by the MPI standard: they return without another process.
    pub const fn is_local(self) -> bool {
        use Class::{Attribute, Datatype, Environment, Errhandler, Group, Info, Operation, Query, Tool};
        matches!(self, Group | Datatype | Operation | Attribute | Info | Errhandler | Environment | Tool | Query)
    }
}

macro_rules! kind_enum {
    (facts { $($fact:ident $small:literal $($wide:literal)?;)* }
     plain { $($plain:ident $plain_small:literal $($plain_wide:literal)?;)* }) => {
        /// The kind of an argument; see the rows in `kinds.rs`.
        #[allow(missing_docs)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum ArgumentKind { $($fact,)* $($plain,)* }

        impl ArgumentKind {
            /// The argument's C type in `MPI_X`, and in `MPI_X_c`.
            pub fn c_types(self) -> (&'static str, &'static str) {
                match self {
                    $(ArgumentKind::$fact => kind_enum!(@types $small $($wide)?),)*
                    $(ArgumentKind::$plain => kind_enum!(@types $plain_small $($plain_wide)?),)*
                }
            }
        }
    };
    (@types $small:literal) => { ($small, $small) };
    (@types $small:literal $wide:literal) => { ($small, $wide) };
}

crate::kinds!(kind_enum);

macro_rules! rows {
    ($($id:literal $name:ident $class:ident $reach:ident $(+ $large:ident)?
       ($($argument:ident: $kind:ident),*) $(-> $returns:ident)?;)*) => {
        #[allow(missing_docs, non_upper_case_globals)]
        impl Call {
            $(pub const $name: Call = Call($id);)*
        }

        static ROWS: &[CallRow] = &[$(CallRow {
            id: $id,
            name: stringify!($name),
            class: Class::$class,
            reach: rows!(@reach $reach),
            large: rows!(@large $($large)?),
            arguments: &[$((stringify!($argument), ArgumentKind::$kind)),*],
            returns: rows!(@returns $($returns)?),
        }),*];
    };
    (@reach core) => { Reach::Core };
    (@reach late) => { Reach::Late };
    (@large) => { false };
    (@large c) => { true };
    (@returns) => { Returns::Code };
    (@returns Seconds) => { Returns::Seconds };
    (@returns Number) => { Returns::Value("int") };
    (@returns Address) => { Returns::Value("MPI_Aint") };
    (@returns $handle:ident) => { Returns::Value(concat!("MPI_", stringify!($handle))) };
}

crate::calls!(rows);

/// The bit of a call's number that marks the large-count form.
const LARGE: u16 = 1 << 10;

impl Call {
    /// One more than the largest number of a call, for tables indexed by it.
    pub const LIMIT: usize = 2 * LARGE as usize;

    /// The number on disk.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The call of a number read from disk; `None` if this version's table has no such row.
    pub fn from_number(number: u16) -> Option<Call> {
        let row = CallRow::of(number & !LARGE)?;
        (number & LARGE == 0 || row.large).then_some(Call(number))
    }

    /// The call of this name, with or without `MPI_`, in the case of the C symbol.
    pub fn named(name: &str) -> Option<Call> {
        let of = |name: &str| ROWS.iter().find(|row| row.name == name);
        let name = name.strip_prefix("MPI_").unwrap_or(name);
        let large = || name.strip_suffix("_c").and_then(of).filter(|row| row.large).map(|row| Call(row.id).large());
        of(name).map(|row| Call(row.id)).or_else(large)
    }

    /// Every call, the large-count forms after all others.
    pub fn all() -> impl Iterator<Item = Call> {
        let small = ROWS.iter().map(|row| Call(row.id));
        let large = ROWS.iter().filter(|row| row.large).map(|row| Call(row.id | LARGE));
        small.chain(large)
    }

    /// The large-count form of this call, which only a row with `+c` has.
    pub const fn large(self) -> Call {
        Call(self.0 | LARGE)
    }

    /// This call, or that of which it is the large-count form.
    pub const fn small(self) -> Call {
        Call(self.0 & !LARGE)
    }

    /// True if this is a large-count form.
    pub const fn is_large(self) -> bool {
        self.0 & LARGE != 0
    }

    /// The row that the call comes from.
    #[expect(clippy::indexing_slicing, reason = "the table has a first row")]
    pub fn row(self) -> &'static CallRow {
        // A Call is only ever made from a row. The recorder asks inside the program, where nothing may panic.
        CallRow::of(self.0 & !LARGE).unwrap_or(&ROWS[0])
    }

    /// The name without `MPI_`, as in the C symbol.
    pub fn name(self) -> String {
        format!("{}{}", self.row().name, if self.is_large() { "_c" } else { "" })
    }

    /// The C symbol: `MPI_Isend`, `MPI_Isend_c`.
    pub fn mpi_name(self) -> String {
        format!("MPI_{}", self.name())
    }

    pub fn class(self) -> Class {
        self.row().class
    }

    /// True if the call has an argument of this kind.
    pub fn has(self, kind: ArgumentKind) -> bool {
        self.row().arguments.iter().any(|(_, k)| *k == kind)
    }

    /// True if the call makes a communicator in which only the processes of the new one take part. Their groups may
    /// come from different communicators.
    pub fn makes_alone(self) -> bool {
        let named =
            [Call::Comm_create_group, Call::Intercomm_create, Call::Comm_accept, Call::Comm_connect].contains(&self);
        self.has(ArgumentKind::NewComm) && self.class() != Class::Query && (named || !self.has(ArgumentKind::Comm))
    }

    /// True if the call makes a communicator with the processes and the topology of another.
    pub fn duplicates(self) -> bool {
        [Call::Comm_dup, Call::Comm_dup_with_info, Call::Comm_idup, Call::Comm_idup_with_info].contains(&self)
    }

    /// True if all processes that opened a file make the call on it together.
    pub fn is_collective_on_file(self) -> bool {
        let name = self.row().name;
        match self.class() {
            Class::Io => name.contains("_all") || name.contains("_ordered"),
            Class::File => matches!(
                self,
                Call::File_close
                    | Call::File_open
                    | Call::File_preallocate
                    | Call::File_seek_shared
                    | Call::File_set_atomicity
                    | Call::File_set_info
                    | Call::File_set_size
                    | Call::File_set_view
                    | Call::File_sync
            ),
            _ => false,
        }
    }

    /// True if the call starts MPI or a session.
    pub fn begins_mpi(self) -> bool {
        matches!(self, Call::Init | Call::Init_thread | Call::Session_init)
    }

    /// True if the call ends MPI or a session.
    pub fn ends_mpi(self) -> bool {
        matches!(self, Call::Finalize | Call::Session_finalize)
    }

    /// True if the call returns only when requests are complete.
    pub fn waits_for_requests(self) -> bool {
        (self.has(ArgumentKind::WaitRequest) || self.has(ArgumentKind::WaitRequests)) && !self.polls()
    }

    /// True if the call, or its persistent form, sends and waits for the receive whatever the size of the message.
    pub fn is_synchronous(self) -> bool {
        [Call::Ssend, Call::Issend, Call::Ssend_init].contains(&self.small())
    }

    /// True if the call, or its persistent form, sends from the program's own buffer.
    pub fn is_buffered(self) -> bool {
        [Call::Bsend, Call::Ibsend, Call::Bsend_init].contains(&self.small())
    }

    /// True if the call may achieve nothing and be made again, as Test, Testsome, Iprobe and Parrived.
    pub fn polls(self) -> bool {
        self.has(ArgumentKind::Flag) || [Call::Testsome, Call::Request_get_status_some].contains(&self)
    }
}

impl CallRow {
    fn of(id: u16) -> Option<&'static CallRow> {
        // Ids count from 1 without gaps; a test checks that.
        ROWS.get((id as usize).checked_sub(1)?)
    }

    /// Every row of the table.
    pub fn all() -> &'static [CallRow] {
        ROWS
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.mpi_name())
    }
}
