//! Pages that clients have not taken yet, and the clients that give way when there are too many.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

/// The largest number of pages with figures that wait to be sent. The connection of one of them is closed when there
/// would be more.
const UNSENT_PAGES_MAX: usize = 8;

/// The client of a connection to the info port.
#[derive(Debug)]
pub struct Client {
    /// Its address, as limits count it; see [`crate::access::network`].
    pub network: IpAddr,
    /// Whether a request of it is being answered.
    busy: AtomicBool,
    /// Notified when the connection must be closed.
    closed: Notify,
}

impl Client {
    /// A client that has requested nothing yet.
    pub fn new(network: IpAddr) -> Arc<Self> {
        Arc::new(Self { network, busy: AtomicBool::new(false), closed: Notify::new() })
    }

    /// Whether a request of it is being answered.
    pub fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed)
    }

    /// Records whether a request of it is being answered.
    pub fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::Relaxed);
    }

    /// Closes the connection.
    pub fn close(&self) {
        self.closed.notify_one();
    }

    /// Waits until the connection must be closed.
    pub async fn closed(&self) {
        self.closed.notified().await;
    }
}

/// The position of the client that gives way to another one, of clients in the order of their arrival: of the address
/// with the most, the oldest that is idle, or the oldest. `None` without clients.
pub fn giving_way<'a>(clients: impl Iterator<Item = &'a Arc<Client>> + Clone) -> Option<usize> {
    let mut counts: HashMap<IpAddr, usize> = HashMap::new();
    for client in clients.clone() {
        *counts.entry(client.network).or_default() += 1;
    }
    let rank = |client: &Client| (counts.get(&client.network).copied().unwrap_or_default(), !client.is_busy());
    clients.enumerate().max_by_key(|(at, client)| (rank(client), Reverse(*at))).map(|(at, _)| at)
}

/// The pages that wait to be sent.
#[derive(Debug, Default)]
pub struct UnsentPages(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The number of each page and its client, the oldest first.
    pages: Vec<(u64, Arc<Client>)>,
    next: u64,
}

impl UnsentPages {
    /// A page for a client. It counts until the returned bytes are dropped.
    pub fn keep(self: &Arc<Self>, page: String, client: &Arc<Client>) -> Bytes {
        let mut state = self.lock();
        if state.pages.len() >= UNSENT_PAGES_MAX
            && let Some(at) = giving_way(state.pages.iter().map(|(_, client)| client))
        {
            let (_, client) = state.pages.remove(at);
            let addr = client.network;
            tracing::debug!(%addr, "a connection with an unsent page made room for a newer page");
            client.close();
        }
        let number = state.next;
        state.next += 1;
        state.pages.push((number, client.clone()));
        Bytes::from_owner(UnsentPage { page, number, of: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A page that waits to be sent.
struct UnsentPage {
    page: String,
    number: u64,
    of: Arc<UnsentPages>,
}

impl AsRef<[u8]> for UnsentPage {
    fn as_ref(&self) -> &[u8] {
        self.page.as_bytes()
    }
}

impl Drop for UnsentPage {
    fn drop(&mut self) {
        self.of.lock().pages.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(address: u8) -> Arc<Client> {
        Client::new([10, 0, 0, address].into())
    }

    #[test]
    fn the_address_with_the_most_connections_gives_way() {
        let clients = [client(1), client(2), client(3), client(3), client(2), client(3)];
        assert_eq!(giving_way(clients.iter()), Some(2));
        clients[2].set_busy(true);
        assert_eq!(giving_way(clients.iter()), Some(3));
        clients[3].set_busy(true);
        clients[5].set_busy(true);
        assert_eq!(giving_way(clients.iter()), Some(2), "the oldest, since all are busy");
        assert_eq!(giving_way(clients[..2].iter()), Some(0));
        assert_eq!(giving_way([].iter()), None);
    }

    #[test]
    fn the_number_of_unsent_pages_is_bounded() {
        let (unsent, slow) = (Arc::<UnsentPages>::default(), client(1));
        let other = unsent.keep("other".to_owned(), &client(2));
        let mut pages: Vec<_> = (0..20).map(|n| unsent.keep(n.to_string(), &slow)).collect();
        assert_eq!((unsent.lock().pages.len(), &other[..]), (UNSENT_PAGES_MAX, &b"other"[..]));
        assert_eq!(unsent.lock().pages.first().map(|(number, _)| *number), Some(0), "the other client's");
        pages.truncate(18);
        assert_eq!(unsent.lock().pages.len(), UNSENT_PAGES_MAX - 2);
        drop((pages, other));
        assert!(unsent.lock().pages.is_empty());
    }
}
