//! The table of calls keeps its rules.

use std::collections::HashSet;

use traces::calls::{ArgumentKind, Call, CallRow, Class, Reach, Returns};

#[test]
fn ids_count_from_one_without_gaps() {
    let ids: Vec<u16> = CallRow::all().iter().map(|row| row.id).collect();
    assert_eq!(ids, (1..=ids.len() as u16).collect::<Vec<_>>());
}

#[test]
fn ids_of_released_rows_stay_what_they_are() {
    // Rows are only appended to ids.txt, as to the table; existing lines never change.
    let released = include_str!("ids.txt").lines().map(|line| line.split_once(' ').unwrap());
    let stated: Vec<(u16, &str)> = released.map(|(id, name)| (id.parse().unwrap(), name)).collect();
    let rows: Vec<(u16, &str)> = CallRow::all().iter().map(|row| (row.id, row.name)).collect();
    assert_eq!(stated, rows);
}

#[test]
fn every_function_is_there_once() {
    let names: HashSet<String> = Call::all().map(|call| call.mpi_name()).collect();
    assert_eq!(names.len(), Call::all().count());
    // 503 functions of MPI 5.0, 159 large-count forms, 10 removed ones, 28 conversions, MPI_Session_set_info.
    assert_eq!(names.len(), 503 + 159 + 10 + 28 + 1);
}

#[test]
fn every_function_is_found_by_its_name_and_a_large_count_form_is_as_synchronous_as_the_small_one() {
    for call in Call::all() {
        assert_eq!([Call::named(&call.mpi_name()), Call::named(&call.name())], [Some(call); 2]);
        assert!(!call.small().is_large());
    }
    assert!(Call::Issend.large().is_synchronous() && Call::Ibsend.large().is_buffered());
    assert!(!Call::Send.large().is_synchronous() && !Call::Ssend.large().is_buffered());
    assert_eq!([Call::named("MPI_Ssend_d"), Call::named("MPI_Wait_c"), Call::named("_c")], [None; 3]);
}

#[test]
fn numbers_and_names_lead_back_to_the_call() {
    for call in Call::all() {
        assert_eq!(Call::from_number(call.number()), Some(call));
        assert_eq!(Call::named(&call.mpi_name()), Some(call));
        assert!((call.number() as usize) < Call::LIMIT);
    }
    assert_eq!(Call::from_number(0), None);
    assert_eq!(Call::from_number(Call::Barrier.large().number()), None);
}

#[test]
fn every_completion_names_a_request() {
    use ArgumentKind::*;
    let requests = [WaitRequest, WaitRequests, FreeRequest, CancelRequest, PeekRequest, PeekRequests, NewRequest];
    for call in Call::all().filter(|call| call.class() == Class::Completion) {
        assert!(requests.iter().any(|kind| call.has(*kind)), "{call:?}");
    }
}

#[test]
fn whoever_takes_many_requests_says_how_many() {
    for call in Call::all() {
        let many = [ArgumentKind::WaitRequests, ArgumentKind::StartRequests, ArgumentKind::PeekRequests]
            .iter()
            .any(|kind| call.has(*kind));
        assert_eq!(many, call.has(ArgumentKind::RequestCount), "{call:?}");
    }
}

#[test]
fn every_amount_has_a_datatype() {
    use ArgumentKind::*;
    let sent = [SendCount, SendEach, RootSendEach, SendCounts, RootSendCounts, NeighborSendEach, NeighborSendCounts];
    let received =
        [RecvCount, RecvEach, RootRecvEach, RecvCounts, RootRecvCounts, NeighborRecvEach, NeighborRecvCounts];
    let both = [BothCount, BcastCount, ReduceCount, ReduceScatterEach, ReduceScatterCounts];
    let any = |call: Call, kinds: &[ArgumentKind]| kinds.iter().any(|kind| call.has(*kind));
    for call in Call::all() {
        assert!(!any(call, &sent) || any(call, &[SendType, SendTypes]), "{call:?}");
        assert!(!any(call, &received) || any(call, &[RecvType, RecvTypes]), "{call:?}");
        assert_eq!(any(call, &both), any(call, &[BothType]), "{call:?}");
    }
}

#[test]
fn a_nonblocking_collective_differs_from_its_blocking_form_by_a_request() {
    let collectives = [Class::Collective, Class::Neighborhood];
    let blocking = |row: &&CallRow| collectives.contains(&row.class) && !row.name.ends_with("_init");
    for row in CallRow::all().iter().filter(blocking).filter(|row| !row.name.starts_with('I')) {
        let name = format!("I{}", row.name[..1].to_lowercase() + &row.name[1..]);
        let nonblocking = Call::named(&name).unwrap_or_else(|| panic!("{name}")).row();
        let (request, others) = nonblocking.arguments.split_last().unwrap();
        assert_eq!(request.1, ArgumentKind::NewRequest, "{name}");
        assert_eq!(others, row.arguments, "{name}");
    }
}

#[test]
fn what_every_library_has_needs_no_slot_and_the_versions_are_not_exported() {
    let core = Call::all().filter(|call| call.row().reach == Reach::Core && !call.is_large()).count();
    assert_eq!(core, 381);
    for name in ["Get_version", "Get_library_version", "Abi_get_version"] {
        assert_eq!(Call::named(name).unwrap().row().reach, Reach::Late, "{name}");
    }
}

#[test]
fn only_doubles_are_returned_as_doubles() {
    let doubles: Vec<_> =
        CallRow::all().iter().filter(|row| row.returns == Returns::Seconds).map(|row| row.name).collect();
    assert_eq!(doubles, ["Wtick", "Wtime"]);
}

#[test]
fn filter_names_of_classes_are_no_functions() {
    for class in Class::ALL.iter().filter(|class| class.filter_name() != "probe") {
        let function = Call::all().find(|call| call.name().to_lowercase() == class.filter_name());
        assert_eq!(function, None, "{class:?}");
    }
}
