//! Counters of exceptions, by the kinds that HBase's gateway counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// HBase's name of each counter, and the Java class that it counts. The last one counts all other classes.
const KINDS: [(&str, &str); 15] = [
    ("OutOfOrderScannerNextException", "OutOfOrderScannerNextException"),
    ("RegionTooBusyException", "RegionTooBusyException"),
    ("UnknownScannerException", "UnknownScannerException"),
    ("ScannerResetException", "ScannerResetException"),
    ("FailedSanityCheckException", "FailedSanityCheckException"),
    ("RegionMovedException", "RegionMovedException"),
    ("NotServingRegionException", "NotServingRegionException"),
    ("multiResponseTooLarge", "MultiActionResultTooLarge"),
    ("callQueueTooBig", "CallQueueTooBigException"),
    ("quotaExceeded", "QuotaExceededException"),
    ("rpcThrottling", "RpcThrottlingException"),
    ("callDropped", "CallDroppedException"),
    ("callTimedOut", "CallTimeoutException"),
    ("requestTooBig", "RequestTooBigException"),
    ("otherExceptions", ""),
];

/// The counters of one service.
#[derive(Default)]
pub struct Exceptions([AtomicU64; KINDS.len()]);

impl Exceptions {
    /// Counts an exception. Its kind is found from the text for the client, which contains the name of the Java class.
    pub fn count(&self, text: &str) {
        let kind = KINDS.iter().position(|(_, class)| text.contains(class)).unwrap_or(KINDS.len() - 1);
        self.0[kind].fetch_add(1, Ordering::Relaxed);
    }

    /// Each kind's name and count.
    pub fn read(&self) -> impl Iterator<Item = (&'static str, u64)> {
        KINDS.iter().zip(&self.0).map(|((name, _), count)| (*name, count.load(Ordering::Relaxed)))
    }

    /// The number of all exceptions.
    pub fn all(&self) -> u64 {
        self.read().map(|(_, count)| count).sum()
    }
}
