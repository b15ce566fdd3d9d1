//! The classes of time that a timeline colors.

use traces::calls::{Call, Class};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TimeClass {
    /// Outside MPI.
    Computation,
    /// Sends and receives.
    PointToPoint,
    /// Waits, tests and probes.
    Completion,
    /// Collective calls.
    Collective,
    /// One-sided communication.
    OneSided,
    /// Files.
    File,
    /// Any other call.
    Other,
    /// A call that has not returned.
    Open,
}

impl TimeClass {
    /// All, in the order of legends.
    pub const ALL: [TimeClass; 8] = [
        TimeClass::Computation,
        TimeClass::PointToPoint,
        TimeClass::Completion,
        TimeClass::Collective,
        TimeClass::OneSided,
        TimeClass::File,
        TimeClass::Other,
        TimeClass::Open,
    ];

    pub fn of(function: u16) -> TimeClass {
        let Some(call) = Call::from_number(function) else { return TimeClass::Other };
        match call.class() {
            Class::PointToPoint => TimeClass::PointToPoint,
            Class::Completion | Class::Probe => TimeClass::Completion,
            Class::Collective | Class::Neighborhood => TimeClass::Collective,
            Class::Rma | Class::Window => TimeClass::OneSided,
            Class::Io | Class::File => TimeClass::File,
            _ => TimeClass::Other,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            TimeClass::Computation => "computation",
            TimeClass::PointToPoint => "point-to-point",
            TimeClass::Completion => "wait, test",
            TimeClass::Collective => "collective",
            TimeClass::OneSided => "one-sided",
            TimeClass::File => "file",
            TimeClass::Other => "other MPI",
            TimeClass::Open => "open call",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TimeClass;
    use traces::calls::Call;

    #[test]
    fn each_kind_of_call_has_its_color() {
        let of = [
            (Call::Send, TimeClass::PointToPoint),
            (Call::Waitall, TimeClass::Completion),
            (Call::Iprobe, TimeClass::Completion),
            (Call::Allreduce, TimeClass::Collective),
            (Call::Neighbor_alltoall, TimeClass::Collective),
            (Call::Put, TimeClass::OneSided),
            (Call::Win_fence, TimeClass::OneSided),
            (Call::File_write_at, TimeClass::File),
            (Call::File_open, TimeClass::File),
            (Call::Comm_rank, TimeClass::Other),
        ];
        for (call, class) in of {
            assert_eq!(TimeClass::of(call.number()), class, "{call:?}");
        }
    }
}
