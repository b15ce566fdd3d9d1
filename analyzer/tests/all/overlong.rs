//! Receives that are too short for their message.

use traces::calls::Call;
use traces::record::Fate;
use traces::signature::{STARTS, Signature};

use crate::common::recorded::{ask, recorded};
use crate::common::stories::{Story, collective, completing, inside, outside, receive, receiving, run, to};

/// The warnings of `check`, and the findings and warnings of the first screen.
fn said(stories: Vec<Story>) -> [String; 2] {
    let folder = run(stories);
    let check = ask(&folder.0, "check", &["--no-cache"]).warnings();
    let screen = ask(&folder.0, "diagnose", &["--no-cache"]);
    let screen = format!("{:?}\n{}", screen.rows("findings"), screen.warnings());
    // These calls have no sites.
    [check, screen].map(|text| text.replace(" at (not told apart)", ""))
}

#[test]
fn a_receive_that_mpi_ended_the_program_in_is_named_with_the_message_it_had_no_room_for() {
    let send = || inside(&[Signature { sent: 2_000, ..to(Call::Send, 1, 7) }], collective(Call::Barrier));
    let short = "posted 8 bytes for a message of 2,000 bytes by rank 0 in MPI_Send";
    let blocking = said(vec![send(), inside(&[], receive(0, 7))]);
    let waiting = said(vec![send(), inside(&[receiving(0, 7)], completing(Call::Wait, 1))]);
    for ([check, screen], call) in [(blocking, "MPI_Recv"), (waiting, "MPI_Irecv")] {
        assert!(check.contains(&format!("rank 1 did not complete {call}: it {short}")), "{check}");
        assert!(screen.contains(&format!("Rank 1 did not complete {call}: it {short}")), "{screen}");
    }
    let room = Signature { received: 2_000, flags: STARTS, ..receiving(0, 7) };
    for text in said(vec![send(), inside(&[room], completing(Call::Wait, 1))]) {
        assert!(!text.contains("MPI_ERR_TRUNCATE"), "{text}");
    }
}

#[test]
fn a_receive_that_returned_the_error_is_named_too() {
    let send = outside(&[Signature { sent: 2_000, ..to(Call::Send, 1, 7) }]);
    let got = outside(&[receive(0, 7)]).got(0, 7, Fate::Truncated);
    let [check, _] = said(vec![send, got]);
    assert!(
        check.contains("rank 1 got an error from MPI_Recv: it posted 8 bytes for a message of 2,000 bytes"),
        "{check}"
    );
    for fixture in recorded("truncated") {
        let screen = ask(&fixture.run, "diagnose", &[]).warnings();
        assert!(screen.contains("rank 1 got an error from MPI_Recv at truncated.c:30"), "{screen}");
    }
}
