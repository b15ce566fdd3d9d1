//! What the places of an account are called.

use std::sync::Arc;

use model::roles::CallSite;

/// Functions and call sites by the numbers of places.
#[derive(Clone, Default)]
pub struct PlaceNames {
    /// Functions.
    pub functions: Arc<[String]>,
    /// Call sites.
    pub sites: Arc<[String]>,
}

impl PlaceNames {
    /// Those of an account.
    pub fn of(places: Vec<CallSite>) -> PlaceNames {
        let (functions, sites): (Vec<String>, Vec<String>) =
            places.into_iter().map(|place| (place.function, place.site)).unzip();
        PlaceNames { functions: functions.into(), sites: sites.into() }
    }
}
