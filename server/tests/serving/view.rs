//! The readiness of a server: it is not ready while its store fails or while it stops.

use std::sync::Arc;

use hjall_engine::clock::SystemClock;
use hjall_engine::store::MemoryStore;
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::{Engine, ErrorKind};
use hjall_server::{Config, Server};

#[test]
fn a_server_is_ready_while_its_store_works_and_it_is_not_stopping() {
    let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new(Arc::new(SystemClock)))));
    let engine = Engine::with_store(store.clone()).unwrap();
    let server = Server::start(Config::on(([127, 0, 0, 1], 0).into()), engine.clone()).unwrap();
    let view = server.view().unwrap();
    assert_eq!(view.figures().ready(), Ok(()));

    let counted = Counted::Only(Call::Statistics);
    store.fail(InjectedFault { counted, nth: 1, when: When::Before, kind: ErrorKind::Io, lasting: true });
    assert!(view.figures().ready().unwrap_err().starts_with("the store cannot be used"));
    store.heal();
    assert_eq!(view.figures().ready(), Ok(()));

    assert!(server.shutdown(), "the view does not keep the server running");
    assert_eq!(view.figures().ready(), Err("the server is stopping".to_owned()));
    engine.close().unwrap();
}
