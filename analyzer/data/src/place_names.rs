//! Names of an account's functions and call sites.

use std::sync::Arc;

use model::roles::CallSite;

/// Functions and call sites by number in an account.
#[derive(Clone, Default)]
pub struct PlaceNames {
    pub functions: Arc<[String]>,
    pub sites: Arc<[String]>,
}

impl PlaceNames {
    pub fn of(places: Vec<CallSite>) -> PlaceNames {
        let (functions, sites): (Vec<String>, Vec<String>) =
            places.into_iter().map(|place| (place.function, place.site)).unzip();
        PlaceNames { functions: functions.into(), sites: sites.into() }
    }
}
