//! The spaces into which bulk loads are in progress.
//!
//! The cells of a load can be older than delete markers that are written while it is in progress. Such a marker hides
//! them when they become visible, so it must not be dropped before, although nothing else is below it.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::store::SpaceId;

/// The number of loads in progress of each space that has any.
#[derive(Default)]
pub(crate) struct LoadingSpaces(Mutex<HashMap<SpaceId, usize>>);

impl LoadingSpaces {
    /// Notes a load until the guard is dropped. To be called before the load takes its time.
    pub(crate) fn begin(self: &Arc<Self>, spaces: Vec<SpaceId>) -> Loading {
        let mut loading = self.0.lock();
        for space in &spaces {
            *loading.entry(*space).or_default() += 1;
        }
        Loading { of: Arc::clone(self), spaces }
    }

    /// Whether delete markers of a space must be kept. If not, the pairs of all loads that are not in progress any more
    /// are in the space.
    pub(crate) fn need_markers(&self, space: SpaceId) -> bool {
        self.0.lock().contains_key(&space)
    }
}

/// A load in progress.
pub(crate) struct Loading {
    of: Arc<LoadingSpaces>,
    spaces: Vec<SpaceId>,
}

impl Drop for Loading {
    fn drop(&mut self) {
        let mut loading = self.of.0.lock();
        for space in &self.spaces {
            if let Some(loads) = loading.get_mut(space) {
                *loads -= 1;
                if *loads == 0 {
                    loading.remove(space);
                }
            }
        }
    }
}
