//! Modules of `analyzer/pictures/page/`, which import each other as `#name`.
//!
//! A page opened from disk may not load files: the import map gives each module as a `data:` URL.

use serde_json::{Map, Value as Json, json};

use crate::{module_url, timeline};

/// Names and texts of the modules; `package.json` gives node the same names.
macro_rules! modules {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../page/", $name, ".js")))),*]
    };
}

const MODULES: &[(&str, &str)] = modules!["main" "theme" "units" "tables" "order" "follow" "part" "svg" "rank_bars" "size_bars" "source" "heat" "icicle" "icicle_boxes" "longest" "pair"];

pub const STYLE: &str = include_str!("../../page/style.css");
/// Script that starts the page.
pub const START: &str = "import \"#main\";";
/// Script that starts a page of two runs.
pub const START_OF_PAIR: &str = "import \"#pair\";";

pub fn import_map() -> String {
    let module = |(name, text): &(&str, &str)| (format!("#{name}"), json!(module_url(text)));
    let imports: Map<String, Json> = MODULES.iter().map(module).chain(timeline::imports()).collect();
    json!({ "imports": imports }).to_string()
}

#[cfg(test)]
mod tests {
    use super::{MODULES, timeline};

    #[test]
    fn node_knows_the_modules_by_the_same_names() {
        let package: serde_json::Value = serde_json::from_str(include_str!("../../page/package.json")).unwrap();
        let imports = package["imports"].as_object().unwrap();
        assert!(MODULES.iter().all(|(name, _)| imports[&format!("#{name}")] == format!("./{name}.js")));
        let timeline = timeline::imports();
        let file = |name: &str| {
            format!("./timeline/{}.js", name.trim_start_matches("#timeline-").trim_start_matches('#').replace('-', "_"))
        };
        assert!(timeline.keys().all(|name| imports[name] == file(name)));
        assert_eq!(imports.len(), MODULES.len() + timeline.len());
    }

    #[test]
    fn a_module_says_in_its_first_lines_what_it_is_and_is_short() {
        for (name, text) in MODULES {
            assert!(text.starts_with("// @ts-check\n/**\n * "), "{name}");
            assert!(text.lines().count() <= 250, "{name}");
        }
    }
}
