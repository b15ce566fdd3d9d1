//! Settings that a user may make, and the errors for mistakes.

use traces::call_filter::Filter;
use traces::calls::Call;
use traces::progress::Depth;
use traces::settings::{self, DEPTHS, SETTINGS, Setting};

fn check(name: &str, value: &str) -> Result<(), String> {
    settings::check([("PATH".into(), "/bin".into()), (name.into(), value.into())].into_iter())
}

#[test]
fn sizes_are_written_as_people_write_them() {
    let sizes = [
        ("4096", 4096),
        ("1e6", 1_000_000),
        ("1.5G", 3 << 29),
        ("64KiB", 64 << 10),
        ("64kb", 64 << 10),
        ("500M", 500 << 20),
        ("2TB", 2 << 40),
    ];
    for (text, bytes) in sizes {
        assert_eq!(settings::size(text), Ok(bytes), "{text}");
    }
    for wrong in ["", "12Q", "many", "M", "-1M", "1.5.2G", "inf", "NaN", "1e400", "3iB", "5MM", "0.5 ", "1e6e6"] {
        assert!(settings::size(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn periods_are_written_as_people_write_them() {
    for (text, nanoseconds) in
        [("off", 0), ("10ms", 10_000_000), ("2.5ms", 2_500_000), ("1500us", 1_500_000), ("1s", 1_000_000_000)]
    {
        assert_eq!(settings::sample(text), Ok(nanoseconds), "{text}");
    }
    for wrong in ["", "on", "10", "ms", "1 ms", "-10ms", "0ms", "0.9ms", "11s", "1.2.3ms", "infs", "10MS"] {
        assert!(settings::sample(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn what_to_keep_is_a_time_or_a_size() {
    use traces::settings::{Keep, keep};
    let of = |time, bytes| Ok(Keep { time, bytes });
    let known = [
        ("all", of(0, 0)),
        ("last:60s", of(60_000_000_000, 0)),
        ("last:1.5min", of(90_000_000_000, 0)),
        ("last:2h", of(7_200_000_000_000, 0)),
        ("last:256M", of(0, 256 << 20)),
        ("last:4194304", of(0, 4 << 20)),
    ];
    for (text, expected) in known {
        assert_eq!(keep(text), expected, "{text}");
    }
    for (wrong, why) in [
        ("60s", "not all, nor last:"),
        ("last:", "not all, nor last:"),
        ("last:many", "not all, nor last:"),
        ("last:10ms", "not a time from 1s to a year"),
        ("last:9000h", "not a time from 1s to a year"),
        ("last:1M", "needs at least 4M"),
        ("last:5m", "5m may be minutes or megabytes"),
    ] {
        assert!(keep(wrong).is_err_and(|said| said.contains(why)), "{wrong}");
    }
}

#[test]
fn more_than_64_ranks_of_a_host_share_a_file_unless_the_user_says_otherwise() {
    let is_shared =
        |form| [None, Some(2), Some(64), Some(65)].map(|here| settings::files(form).unwrap().is_shared_by(here));
    assert_eq!(is_shared("auto"), [false, false, false, true]);
    assert_eq!(is_shared("rank"), [false; 4]);
    assert_eq!(is_shared("node"), [true; 4]);
    assert!(settings::files("host").is_err());
    assert_eq!(traces::node::FileForm::default(), settings::files("auto").unwrap());
}

#[test]
fn every_variable_is_checked_by_name_and_value() {
    let wrong = [
        ("OVERHEAR_MDOE", "", "there is no variable OVERHEAR_MDOE; the nearest one is OVERHEAR_MODE"),
        ("OVERHEAR_MODE", "trce", "OVERHEAR_MODE=trce: there is no such mode; there are trace, profile, null"),
        (
            "OVERHEAR_PROGRESS",
            "event",
            "OVERHEAR_PROGRESS=event: there is no such way to record the progress engine; there are off, count, time, events",
        ),
        (
            "OVERHEAR_SYNC",
            "bth",
            "OVERHEAR_SYNC=bth: there is no such occasion to compare clocks; there are off, init, both",
        ),
        (
            "OVERHEAR_FILTER",
            "-colective",
            "OVERHEAR_FILTER=-colective: no class or function is called colective; the nearest one is collective",
        ),
        ("OVERHEAR_MAX_BYTES", "12Q", "OVERHEAR_MAX_BYTES=12Q: not a size, as 500M, 1.5G, 64KiB or 1e6"),
        ("OVERHEAR_MAX_BYTES", "64KiB", "OVERHEAR_MAX_BYTES=64KiB: too small: recording needs at least 1M"),
        ("OVERHEAR_SAMPLE", "10", "OVERHEAR_SAMPLE=10: neither off nor a time from 1ms to 10s, such as 10ms"),
        ("OVERHEAR_SAMPLE", "10us", "OVERHEAR_SAMPLE=10us: neither off nor a time from 1ms to 10s, such as 10ms"),
        ("OVERHEAR_RUN", "mine", "OVERHEAR_RUN=mine: not a run, which is 32 hexadecimal digits"),
        ("OVERHEAR_TEST_CLOCK", "1:2,3", "OVERHEAR_TEST_CLOCK=1:2,3: 3 is not SECONDS:PPM"),
    ];
    for (name, value, message) in wrong {
        assert_eq!(check(name, value), Err(message.into()));
    }
    let right = [
        ("OVERHEAR_DIR", "a b"),
        ("OVERHEAR_MODE", "null"),
        ("OVERHEAR_MODE", ""),
        ("OVERHEAR_MAX_BYTES", "1.5G"),
        ("OVERHEAR_FILTER", "-all,+MPI_Waitall"),
        ("OVERHEAD", "x"),
    ];
    for (name, value) in right {
        assert_eq!(check(name, value), Ok(()), "{name}={value}");
    }
}

#[test]
fn depths_are_written_as_they_are_named() {
    assert_eq!(DEPTHS, Depth::ALL.map(Depth::name));
}

#[test]
fn a_filter_takes_a_name_of_any_first_letter() {
    assert!(Filter::parse("-äh").is_err_and(|reason| reason.contains("no class or function is called äh")));
    let filter = Filter::parse("-all,send").unwrap_or_else(|reason| panic!("{reason}"));
    assert_eq!([Call::Send, Call::Recv, Call::Init].map(|call| filter.records(call)), [true, false, true]);
}

#[test]
fn the_guide_tables_the_flags_as_they_are() {
    let page = include_str!("../../../docs/guide/recording.md");
    let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{text}` ") };
    let row = |setting: &Setting| {
        let Setting { variable, flag, value, values, default, meaning, .. } = *setting;
        let values = if values.is_empty() { value.to_string() } else { values.join("`, `") };
        format!("| `--{flag}` | `{variable}` | `{values}` | {}| {meaning} |", code(default))
    };
    let stated: Vec<&str> =
        page.lines().filter(|line| line.starts_with("| `--") && line.contains("OVERHEAR_")).collect();
    let rows: Vec<String> = SETTINGS.iter().filter(|setting| !setting.flag.is_empty()).map(row).collect();
    assert_eq!(stated, rows);
}

#[test]
fn a_batch_script_and_an_interactive_shell_of_slurm_are_no_ranks() {
    let rank = |step: Option<&str>, other: Option<&str>| {
        settings::launcher_rank(|name| match name {
            "SLURM_PROCID" => Some("0".into()),
            "SLURM_STEP_ID" => step.map(String::from),
            "PMI_RANK" => other.map(String::from),
            _ => None,
        })
    };
    assert_eq!([rank(None, None), rank(Some("4294967291"), None), rank(Some("4294967290"), None)], [None; 3]);
    assert_eq!([rank(Some("0"), None), rank(None, Some("3"))], [Some(0), Some(3)]);
}
