//! The filter that calls ask agrees with the user's filter.

use recorder_core::function_filter::FunctionFilter;
use traces::call_filter::Filter;
use traces::calls::Call;

#[test]
fn nothing_is_recorded_before_the_user_was_asked() {
    let filter = FunctionFilter::closed();
    assert!(Call::all().all(|call| !filter.records(call)));
}

#[test]
fn each_function_is_recorded_as_the_last_filter_has_it() {
    let filter = FunctionFilter::closed();
    for text in ["all", "", "-all,+Send", "-Irecv"] {
        let users = Filter::parse(text).unwrap();
        filter.choose(&users);
        assert!(Call::all().all(|call| filter.records(call) == users.records(call)), "{text}");
    }
    assert!(filter.records(Call::Send.large()) && !filter.records(Call::Irecv) && !filter.records(Call::Irecv.large()));
}
