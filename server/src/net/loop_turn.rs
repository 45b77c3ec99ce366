//! The turns of connections on an event loop, shared among the addresses of clients.
//!
//! Without rotation, an address with many connections would have many turns, and other addresses would wait for all of
//! them. Therefore, while a loop that serves several addresses has more work than fits into a round, addresses take
//! turns in rotation, and the loop checks regularly for calls that have arrived.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tokio::task::yield_now;

use super::loops::load::{LastWindow, LoopHandle, LoopLoad};
use super::rotation::{Pass, Rotation};
use super::turn::Turn;
use crate::access::network;

/// The size of the replies after which a turn of a connection ends, in bytes. A client that sends short calls without
/// waiting for replies always has a next one, and a message of a few bytes may ask for a reply of many kilobytes.
const TURN_BYTES_MAX: usize = 8 << 10;
/// The number of bytes that a call counts in addition to its reply.
const CALL_BYTES: usize = 1 << 10;
/// The number of bytes that all connections of a loop send before the loop checks for calls that have arrived.
const ROUND_BYTES_MAX: usize = 4 * TURN_BYTES_MAX;
/// The most that a connection receives in one turn, in bytes, so that the others need not wait until a long message has
/// been received and measured.
pub const RECEIVED_BYTES_MAX: usize = 64 << 10;
/// A loop with this number of connections does less than a few rounds if all of them have a turn.
const FEW_CONNECTIONS: usize = 8;

/// The state that the connections of one event loop share.
#[derive(Debug, Default)]
struct EventLoop {
    /// The rotation, which determines the connection that has a turn while others wait.
    rotation: Arc<Rotation>,
    /// The number of connections that are served.
    connections: AtomicUsize,
    /// The number of connections of each address.
    by_address: Mutex<HashMap<IpAddr, usize>>,
    /// The number of addresses.
    addresses: AtomicUsize,
    /// The bytes that are left of this round.
    left: AtomicUsize,
    /// The load of the loop, and its busy polling.
    load: Arc<LoopLoad>,
}

impl EventLoop {
    fn connected(&self, address: IpAddr) {
        self.connections.fetch_add(1, Ordering::Relaxed);
        let mut by_address = self.by_address();
        *by_address.entry(address).or_default() += 1;
        self.addresses.store(by_address.len(), Ordering::Relaxed);
    }

    fn disconnected(&self, address: IpAddr) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
        let mut by_address = self.by_address();
        if let Entry::Occupied(mut connections) = by_address.entry(address) {
            *connections.get_mut() -= 1;
            if *connections.get() == 0 {
                connections.remove();
            }
        }
        self.addresses.store(by_address.len(), Ordering::Relaxed);
    }

    fn by_address(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.by_address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the addresses before this one in the rotation have had their turns.
    async fn enter(&self, address: IpAddr) -> Pass {
        let pass = self.rotation.enter(address).await;
        if self.left.load(Ordering::Relaxed) == 0 {
            // The loop finds what has arrived before it continues this task. The connections concerned enter the
            // rotation then.
            yield_now().await;
            self.left.store(ROUND_BYTES_MAX, Ordering::Relaxed);
        }
        pass
    }

    /// Whether connections from more than one address are served.
    fn has_several_addresses(&self) -> bool {
        self.addresses.load(Ordering::Relaxed) > 1
    }

    /// Whether addresses take turns in rotation.
    fn rotates(&self) -> bool {
        self.has_several_addresses()
            && self.connections.load(Ordering::Relaxed) > FEW_CONNECTIONS
            && !(self.rotation.is_free() && self.left.load(Ordering::Relaxed) > 0)
    }
}

thread_local! {
    /// The state of the event loop of this thread. Connections stay on its thread until they move to another loop.
    static CURRENT: RefCell<Arc<EventLoop>> = RefCell::default();
}

/// Makes the current thread that of an event loop, whose load is measured. It must not have served connections.
pub fn enter(load: Arc<LoopLoad>) {
    CURRENT.set(Arc::new(EventLoop { load, ..EventLoop::default() }));
}

/// The turn of one connection to answer calls on its event loop. It ends when the connection waits.
#[derive(Debug)]
pub struct LoopTurn {
    of: Arc<EventLoop>,
    address: IpAddr,
    turn: Turn,
    is_on: bool,
    pass: Option<Pass>,
    /// When the connection had its last answer.
    answered: LastWindow,
}

impl LoopTurn {
    /// The turn of a connection from this address on the event loop of the current thread. It has not begun.
    pub fn new(address: IpAddr) -> Self {
        let (of, address) = (CURRENT.with_borrow(Arc::clone), network(address));
        of.connected(address);
        let (turn, answered) = (Turn::new(TURN_BYTES_MAX), LastWindow::none());
        Self { of, address, turn, is_on: false, pass: None, answered }
    }

    /// Continues the turn, or waits for a new one if the turn has ended or is used up. Must be called before a call is
    /// answered.
    pub async fn go_on(&mut self) {
        if self.is_on {
            if self.turn.left() > 0 {
                return;
            }
            self.end();
            // Otherwise this connection enters the rotation again, at its end.
            if self.of.rotation.is_free() {
                yield_now().await;
            }
        }
        self.turn.begin();
        self.is_on = true;
        if self.of.rotates() {
            self.pass = Some(self.of.enter(self.address).await);
        }
    }

    /// Counts an answered call, with the size of its reply.
    pub fn answered(&mut self, reply_bytes: usize) {
        let bytes = CALL_BYTES.saturating_add(reply_bytes);
        self.turn.count(bytes);
        // Only the thread of the loop changes it.
        let left = self.of.left.load(Ordering::Relaxed).saturating_sub(bytes);
        self.of.left.store(left, Ordering::Relaxed);
        self.of.load.answered();
    }

    /// Counts the connection as an active one that can move. Returns the event loop to which it has to go now; `None`
    /// if it stays, as it does if `may_leave` is false. Must be called after each answer.
    pub fn next_loop(&mut self, may_leave: bool) -> Option<Arc<LoopHandle>> {
        let load = &self.of.load;
        self.answered.answered(load);
        if may_leave && load.may_leave() { load.leaves_to() } else { None }
    }

    /// Ends the turn, so that other connections have theirs.
    pub fn end(&mut self) {
        self.is_on = false;
        self.pass = None;
    }

    /// Waits until the other tasks of the loop that are ready have run, if there are other connections.
    pub async fn after_others(&self) {
        if self.of.connections.load(Ordering::Relaxed) < 2 {
            return;
        }
        let mut has_waited = false;
        poll_fn(|context| {
            if std::mem::replace(&mut has_waited, true) {
                return Poll::Ready(());
            }
            // Tokio's `yield_now` would also wait for new events.
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// Waits for a future. If that is not ready at once, the turn ends.
    pub fn during<F: Future + Unpin>(&mut self, mut future: F) -> impl Future<Output = F::Output> {
        poll_fn(move |cx| {
            let polled = Pin::new(&mut future).poll(cx);
            if polled.is_pending() {
                self.end();
            }
            polled
        })
    }
}

impl Drop for LoopTurn {
    fn drop(&mut self) {
        self.of.disconnected(self.address);
    }
}

/// The turns of one connection to receive a long message.
#[derive(Debug)]
pub struct ReceivingTurn {
    of: Arc<EventLoop>,
    address: IpAddr,
    turn: Turn,
}

impl ReceivingTurn {
    /// The first turn of a connection from this address on the event loop of the current thread.
    pub fn new(address: IpAddr) -> Self {
        let of = CURRENT.with_borrow(Arc::clone);
        Self { of, address: network(address), turn: Turn::new(RECEIVED_BYTES_MAX) }
    }

    /// The bytes that may be received in this turn.
    pub fn left(&self) -> usize {
        self.turn.left()
    }

    /// Counts what has been received, in bytes.
    pub fn count(&mut self, bytes: usize) {
        self.turn.count(bytes);
    }

    /// Waits for the next turn if this one is used up.
    pub async fn next(&mut self) {
        self.turn.begin();
        if !self.of.has_several_addresses() {
            return yield_now().await;
        }
        // What has been received is more than a round.
        self.of.left.store(0, Ordering::Relaxed);
        // The pass is released at once, because the bytes that this connection waits for may never arrive.
        drop(Box::pin(self.of.enter(self.address)).await);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::rc::Rc;

    use tokio::task::{LocalSet, spawn_local};

    use super::*;

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        LocalSet::new().block_on(&runtime, test);
    }

    fn address(number: u8) -> IpAddr {
        [127, 0, 0, number].into()
    }

    /// A client that has sent `calls` calls without waiting for replies. It is connected from the beginning.
    fn pipelining(name: char, of: u8, calls: usize, order: Rc<RefCell<String>>) -> impl Future<Output = ()> {
        let mut turn = LoopTurn::new(address(of));
        async move {
            for _ in 0..calls {
                turn.go_on().await;
                order.borrow_mut().push(name);
                turn.answered(0);
            }
        }
    }

    #[test]
    fn connections_take_turns() {
        run(async {
            let order = Rc::<RefCell<String>>::default();
            let connection = |name, calls| pipelining(name, 1, calls, order.clone());
            tokio::join!(biased; connection('s', 24), connection('L', 16));
            assert_eq!(order.take(), "ssssssssLLLLLLLLssssssssLLLLLLLLssssssss");
        });
    }

    /// Three hundred connections of one address have sent more calls than can be answered at once. A client at another
    /// address sends one call at a time, and each is answered before the others have had some turns.
    #[test]
    fn an_address_with_many_connections_has_the_share_of_one() {
        run(async {
            let order = Rc::<RefCell<String>>::default();
            let many: Vec<_> = (0..300).map(|_| spawn_local(pipelining('.', 1, 100, order.clone()))).collect();
            let mut turn = LoopTurn::new(address(2));
            let mut waited = Vec::new();
            for _ in 0..50 {
                // The call arrives while the loop looks for what has arrived.
                turn.during(pin!(yield_now())).await;
                let before = order.borrow().len();
                turn.go_on().await;
                waited.push(order.borrow().len() - before);
                turn.answered(0);
            }
            assert!(order.borrow().len() < 300 * 100, "the others have not ended");
            // What is left of the round, and one turn of the other address.
            assert!(waited.iter().all(|calls| *calls <= 40), "{waited:?}");
            drop(turn);
            for connection in many {
                connection.await.unwrap();
            }
            assert_eq!(order.borrow().len(), 300 * 100);
        });
    }

    /// Several addresses that have equally many calls get equally many answers, however many connections they have.
    #[test]
    fn addresses_have_equal_shares() {
        run(async {
            let order = Rc::<RefCell<String>>::default();
            let connections = [('a', 1, 100), ('b', 2, 10), ('c', 3, 1)];
            let mut tasks = Vec::new();
            for (name, of, count) in connections {
                tasks.extend((0..count).map(|_| spawn_local(pipelining(name, of, 1000, order.clone()))));
            }
            while order.borrow().matches('c').count() < 1000 {
                yield_now().await;
            }
            let answered = ['a', 'b', 'c'].map(|name| order.borrow().matches(name).count());
            assert!(answered.iter().all(|calls| calls.abs_diff(1000) <= 200), "{answered:?}");
            tasks.iter().for_each(tokio::task::JoinHandle::abort);
        });
    }

    /// A connection that waits for something else, such as a client that does not read, keeps no turn.
    #[test]
    fn a_connection_that_waits_has_no_turn() {
        run(async {
            let order = Rc::<RefCell<String>>::default();
            let stuck: Vec<_> = (0..20)
                .map(|_| {
                    spawn_local(async {
                        let mut turn = LoopTurn::new(address(1));
                        loop {
                            turn.go_on().await;
                            turn.answered(TURN_BYTES_MAX);
                            turn.during(std::future::pending::<()>()).await;
                        }
                    })
                })
                .collect();
            let other = spawn_local(pipelining('.', 2, 100, order.clone()));
            other.await.unwrap();
            assert_eq!(order.borrow().len(), 100);
            stuck.iter().for_each(tokio::task::JoinHandle::abort);
        });
    }
}
