//! The accounts of clients: the memory that each client holds, and its counters.
//!
//! A client is a principal: a user after a login, otherwise an address or a network. All connections of a principal
//! share one account.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::memory_quota::POOLS;
use crate::observe::ClientMetrics;

/// The number of clients that are counted separately. Further clients are counted together, so that the number of
/// labels in metrics is bounded.
const NAMED_MAX: usize = 100;
/// The label under which all other clients are counted.
const OTHERS: &str = "(other)";
/// Accounts without connections are removed when there are this many accounts, and again at each doubling.
const CLEAN_MIN: usize = 1024;

/// The account of one client.
#[derive(Debug)]
pub struct Account {
    /// Identifies the account. Numbers are not reused.
    pub number: u64,
    /// The bytes that the client's connections hold, for each pool of the memory quota.
    pub(super) held: [AtomicUsize; POOLS],
    figures: Arc<Figures>,
}

/// The counters of one client, or of all clients that are not counted separately.
#[derive(Debug)]
struct Figures {
    client: Arc<str>,
    calls: AtomicU64,
    refused: AtomicU64,
    run_ns: AtomicU64,
    received: AtomicU64,
    sent: AtomicU64,
}

impl Figures {
    fn new(client: Arc<str>) -> Arc<Self> {
        Arc::new(Self {
            client,
            calls: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            run_ns: AtomicU64::new(0),
            received: AtomicU64::new(0),
            sent: AtomicU64::new(0),
        })
    }
}

impl Account {
    fn new(number: u64, figures: Arc<Figures>) -> Arc<Self> {
        Arc::new(Self { number, held: Default::default(), figures })
    }

    /// Counts a call that ran.
    pub fn ran(&self, took: Duration, received_bytes: usize, sent_bytes: usize) {
        let figures = &self.figures;
        figures.calls.fetch_add(1, Ordering::Relaxed);
        figures.run_ns.fetch_add(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        figures.received.fetch_add(received_bytes as u64, Ordering::Relaxed);
        figures.sent.fetch_add(sent_bytes as u64, Ordering::Relaxed);
    }

    /// Counts a call or a message that was refused.
    pub fn refused(&self) {
        self.figures.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// The bytes that the client's connections hold.
    pub fn held_bytes(&self) -> usize {
        self.held.iter().map(|held| held.load(Ordering::Relaxed)).sum()
    }
}

/// The accounts of all clients.
#[derive(Debug)]
pub struct Accounts {
    state: Mutex<AccountsState>,
    others: Arc<Figures>,
}

#[derive(Debug)]
struct AccountsState {
    by_client: HashMap<Arc<str>, Arc<Account>>,
    next_number: u64,
    /// The number of accounts that are counted separately.
    named: usize,
    /// The number of accounts at which those without connections are removed.
    clean_at: usize,
}

impl Default for Accounts {
    fn default() -> Self {
        let state = AccountsState { by_client: HashMap::new(), next_number: 0, named: 0, clean_at: CLEAN_MIN };
        Self { state: Mutex::new(state), others: Figures::new(OTHERS.into()) }
    }
}

impl Accounts {
    /// The account of a client. If it is new and `may_be_named`, the client is counted separately while there is room.
    pub fn of(&self, client: &Arc<str>, may_be_named: bool) -> Arc<Account> {
        let mut state = self.lock();
        if let Some(account) = state.by_client.get(client) {
            return account.clone();
        }
        if state.by_client.len() >= state.clean_at {
            let others = &self.others;
            state
                .by_client
                .retain(|_, account| Arc::strong_count(account) > 1 || !Arc::ptr_eq(&account.figures, others));
            state.clean_at = (state.by_client.len() * 2).max(CLEAN_MIN);
        }
        let named = may_be_named && state.named < NAMED_MAX;
        let figures = if named { Figures::new(client.clone()) } else { self.others.clone() };
        state.named += usize::from(named);
        state.next_number += 1;
        let account = Account::new(state.next_number, figures);
        state.by_client.insert(client.clone(), account.clone());
        account
    }

    /// The counters of each client that is counted separately, and those of all other clients together if there are
    /// any.
    pub fn metrics(&self) -> Vec<ClientMetrics> {
        let mut all: Vec<ClientMetrics> = Vec::new();
        let mut others = self.read(&self.others, 0);
        let mut has_others = others.calls + others.refused > 0;
        for account in self.lock().by_client.values() {
            let held_bytes = account.held_bytes();
            if Arc::ptr_eq(&account.figures, &self.others) {
                others.held_bytes += held_bytes;
                has_others = true;
            } else {
                all.push(self.read(&account.figures, held_bytes));
            }
        }
        all.sort_by(|a, b| a.client.cmp(&b.client));
        all.extend(has_others.then_some(others));
        all
    }

    fn read(&self, figures: &Figures, held_bytes: usize) -> ClientMetrics {
        ClientMetrics {
            client: figures.client.clone(),
            calls: figures.calls.load(Ordering::Relaxed),
            refused: figures.refused.load(Ordering::Relaxed),
            run: Duration::from_nanos(figures.run_ns.load(Ordering::Relaxed)),
            received_bytes: figures.received.load(Ordering::Relaxed),
            sent_bytes: figures.sent.load(Ordering::Relaxed),
            held_bytes,
        }
    }

    fn lock(&self) -> MutexGuard<'_, AccountsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_named_clients_is_bounded() {
        let accounts = Accounts::default();
        for n in 0..CLEAN_MIN * 3 {
            accounts.of(&format!("client-{n}").into(), true).ran(Duration::from_millis(1), 10, 20);
        }
        let metrics = accounts.metrics();
        assert_eq!(metrics.len(), NAMED_MAX + 1);
        assert_eq!(metrics.last().map(|other| (&*other.client, other.calls)), Some((OTHERS, 3 * 1024 - 100)));
        assert!(accounts.lock().by_client.len() <= CLEAN_MIN + 1, "accounts without connections are removed");
    }

    #[test]
    fn clients_without_a_login_take_no_names() {
        let accounts = Accounts::default();
        let unnamed: Vec<_> = (0..NAMED_MAX).map(|n| accounts.of(&format!("10.0.0.{n}").into(), false)).collect();
        accounts.of(&"alice".into(), true).ran(Duration::from_millis(1), 10, 20);
        for account in &unnamed {
            account.refused();
        }
        let metrics = accounts.metrics();
        let shown: Vec<_> = metrics.iter().map(|client| (&*client.client, client.calls, client.refused)).collect();
        assert_eq!(shown, [("alice", 1, 0), (OTHERS, 0, NAMED_MAX as u64)]);
    }

    #[test]
    fn connections_of_a_client_share_an_account() {
        let accounts = Accounts::default();
        let [first, second] = [(); 2].map(|()| accounts.of(&"10.0.0.1".into(), true));
        assert_eq!(first.number, second.number);
        assert_ne!(first.number, accounts.of(&"10.0.0.2".into(), true).number);
    }
}
