//! The guide's page of rules is printed from their specifications.

use std::fmt::Write;
use std::path::Path;

use metrics::summary::limits::Limit;
use metrics::summary::rules::{RULES, SHARED};

use crate::common::golden::compare;

const HEAD: &str = "\
# The rules of the first screen

Each finding has a rule. `overhear explain small_messages` prints one of them; this page has all. A limit is a figure at which a rule changes its mind, with
the reason for it: *derived* from other figures, *measured* (runs lie apart on both sides), or *by convention* (another figure would do as well).
`cargo lab sensitivity` says which first findings of recorded runs change if a limit is half, twice or gone.
";

fn of_limits<'a>(text: &mut String, limits: impl Iterator<Item = &'a Limit>) {
    for limit in limits {
        let _ = writeln!(text, "- `{}` ({}).{}", limit.in_words(), limit.why.name(), limit.reason);
    }
}

#[test]
fn the_page_of_rules_is_what_the_rules_are() {
    let mut text = HEAD.to_string();
    text.push_str("\n## Limits of all rules\n\n");
    of_limits(&mut text, SHARED.iter().flat_map(|limits| limits.iter().copied()));
    for rule in RULES {
        let _ = write!(text, "\n## {}\n\n{} {}", rule.kind.key(), rule.kind.meaning(), rule.cure);
        if let Some(example) = rule.example {
            let _ = write!(text, " Example: `{example}.c` among the planted programs.");
            let program = format!("{}/../examples/programs/diagnosis/{example}.c", env!("CARGO_MANIFEST_DIR"));
            assert!(Path::new(&program).exists(), "{program}");
        }
        text.push('\n');
        if !rule.limits.is_empty() {
            text.push('\n');
            of_limits(&mut text, rule.limits.iter().flat_map(|limits| limits.iter().copied()));
        }
    }
    compare(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/rules.md"), &text);
}
