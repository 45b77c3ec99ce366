//! The order of work that is done one piece at a time: the addresses of clients take turns in rotation.
//!
//! However much work one address requests, another address waits for at most one piece of each address.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The order in which connections may work.
#[derive(Debug, Default)]
pub struct Rotation {
    /// Whether a pass is in use. Changed with `waiting` locked.
    is_taken: AtomicBool,
    waiting: Mutex<Waiting>,
}

/// The connections that wait for the pass.
#[derive(Debug, Default)]
struct Waiting {
    /// The addresses in their order, the next one first. Each has waiting connections, or had some when it was last the
    /// next one.
    order: VecDeque<IpAddr>,
    by_address: HashMap<IpAddr, VecDeque<oneshot::Sender<Pass>>>,
}

/// The right to work. There is one in each rotation. When it is dropped, the next address gets it.
#[derive(Debug)]
pub struct Pass(Option<Arc<Rotation>>);

impl Rotation {
    /// Whether no connection has the pass or waits for it.
    pub fn is_free(&self) -> bool {
        !self.is_taken.load(Ordering::Relaxed)
    }

    /// Waits for the pass. Connections of one address get it in the order of their calls.
    pub async fn enter(self: &Arc<Self>, address: IpAddr) -> Pass {
        let passed = {
            let mut waiting = self.lock();
            if !self.is_taken.swap(true, Ordering::Relaxed) {
                return Pass(Some(self.clone()));
            }
            let (pass, passed) = oneshot::channel();
            let Waiting { order, by_address } = &mut *waiting;
            let queue = by_address.entry(address).or_insert_with(|| {
                order.push_back(address);
                VecDeque::new()
            });
            queue.push_back(pass);
            passed
        };
        // The sender waits in the rotation, which this call refers to.
        passed.await.unwrap_or(Pass(None))
    }

    /// Gives the pass to the next connection.
    fn pass_on(self: Arc<Self>) {
        let mut pass = Pass(Some(self.clone()));
        while let Some(next) = self.next() {
            match next.send(pass) {
                Ok(()) => return,
                // The connection has ended.
                Err(unused) => pass = unused,
            }
        }
        // No connection waits. The pass is free, and dropping it must not pass it on again.
        pass.0 = None;
    }

    fn next(&self) -> Option<oneshot::Sender<Pass>> {
        let mut waiting = self.lock();
        let Waiting { order, by_address } = &mut *waiting;
        let next = loop {
            let Some(address) = order.pop_front() else { break None };
            match by_address.get_mut(&address).and_then(VecDeque::pop_front) {
                // The address keeps its place while its connection works, which may then enter again.
                Some(next) => {
                    order.push_back(address);
                    break Some(next);
                }
                None => drop(by_address.remove(&address)),
            }
        };
        self.is_taken.store(next.is_some(), Ordering::Relaxed);
        next
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let Some(rotation) = self.0.take() {
            rotation.pass_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use tokio::task::yield_now;

    use super::*;

    fn address(number: u8) -> IpAddr {
        [127, 0, 0, number].into()
    }

    #[test]
    fn addresses_have_the_pass_in_rotation_and_their_connections_in_order() {
        let (rotation, order) = (Arc::<Rotation>::default(), RefCell::new(String::new()));
        let connection = async |name: char, of: u8| {
            let _pass = rotation.enter(address(of)).await;
            yield_now().await;
            order.borrow_mut().push(name);
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            tokio::join!(
                biased;
                connection('a', 1),
                connection('b', 1),
                connection('c', 1),
                connection('d', 1),
                connection('x', 2),
                connection('y', 2),
                connection('m', 3)
            )
        });
        assert_eq!(order.into_inner(), "abxmcyd");
        assert!(rotation.is_free() && rotation.lock().by_address.is_empty());
    }

    /// A connection may end at any time, also when it has been given the pass and does not know it yet.
    #[test]
    fn a_pass_of_a_connection_that_has_ended_is_passed_on() {
        let rotation = Arc::<Rotation>::default();
        let mut cx = Context::from_waker(Waker::noop());
        let first = {
            let mut entering = pin!(rotation.enter(address(1)));
            let Poll::Ready(pass) = entering.as_mut().poll(&mut cx) else { panic!("it was free") };
            pass
        };
        let mut others: Vec<_> = (1..5).map(|number| Box::pin(rotation.enter(address(number)))).collect();
        for other in &mut others {
            assert!(other.as_mut().poll(&mut cx).is_pending());
        }
        let mut last = others.pop().unwrap();
        // One has ended before it is its turn, one after it.
        drop(others.remove(1));
        drop(first);
        drop(others);
        let Poll::Ready(pass) = last.as_mut().poll(&mut cx) else { panic!("the pass was lost") };
        drop(pass);
        assert!(rotation.is_free());
    }
}
