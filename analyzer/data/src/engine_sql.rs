//! The analyses as SQL over the exported data set, for engines that read Parquet: DuckDB, Spark, Sail.
//!
//! A view is one SELECT over tables and views before it; a query is one over those.

/// Tables that the views and queries read; `--tables engine` exports these.
pub const TABLES: [&str; 7] = ["roles", "clock_lines", "communicators", "neighbors", "ranks", "signatures", "traffic"];

macro_rules! texts {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../sql/", $name, ".sql")))),*]
    };
}

/// Names and texts of the views, each after the views that it reads.
pub const VIEWS: &[(&str, &str)] =
    texts!["timed_roles", "matched_messages", "matched_operations", "single_waits", "rank_functions"];

pub const QUERIES: &[(&str, &str)] = texts![
    "data_set",
    "functions",
    "incomplete_tables",
    "message_counts",
    "missing_ranks",
    "processes",
    "time_spread",
    "traffic_pairs",
    "wait_sums",
];

/// The text of a query.
pub fn query(name: &str) -> Option<&'static str> {
    QUERIES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// A script for DuckDB's command line that answers some queries over the data set in a folder.
pub fn duckdb_script(folder: &str, queries: &[&str]) -> String {
    let folder = folder.trim_end_matches('/').replace('\'', "''");
    let table = |name: &str| {
        format!(
            "CREATE VIEW {name} AS SELECT * FROM read_parquet('{folder}/{name}/*/*.parquet', hive_partitioning = true);\n"
        )
    };
    let views = VIEWS.iter().map(|(name, text)| format!("CREATE VIEW {name} AS\n{text};\n"));
    let asked = queries.iter().filter_map(|name| query(name)).map(|text| format!("{text};\n"));
    TABLES.iter().map(|name| table(name)).chain(views).chain(asked).collect()
}
