//! Connections that are idle for hours, on a clock that tests advance.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use thrift::protocol::{TFieldIdentifier, TInputProtocol, TStructIdentifier, TType};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::advance;

use super::buffered_stream::BufferedStream;
use super::moving::Registered;
use super::session;
use crate::dispatch::call::{DefaultService, Services};
use crate::dispatch::call_scope::CallScope;
use crate::dispatch::caller::Caller;
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::identity::Identity;
use crate::dispatch::runner::ActiveSettings;
use crate::settings::config::{Config, Limits};
use crate::wire::fault::Fault;
use crate::wire::method::{Method, Service};
use crate::wire::reply::Output;
use crate::wire::{Dialect, Encoding};

/// Answers every call with `yes`.
struct Yes;

impl Services for Yes {
    fn call(
        &self,
        _: &CallScope<'_>,
        _: Method,
        input: &mut dyn TInputProtocol,
        output: &mut Output<'_>,
    ) -> Result<(), Fault> {
        input.skip(TType::Struct)?;
        output.generated(|output| {
            output.write_struct_begin(&TStructIdentifier::new("result"))?;
            output.write_field_begin(&TFieldIdentifier::new("success", TType::String, 0))?;
            output.write_string("yes")?;
            output.write_field_end()?;
            output.write_field_stop()
        })?;
        Ok(())
    }
}

/// `getRow` without arguments, framed: strict binary.
const CALL: &[u8] = b"\x00\x00\x00\x13\x80\x01\x00\x01\x00\x00\x00\x06getRow\x00\x00\x00\x07\x00";

impl Registered for DuplexStream {
    fn deregister(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn register(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A connection, and the task that serves it.
fn connect(limits: Limits) -> (DuplexStream, JoinHandle<()>) {
    let live = ActiveSettings::new(Config { limits, ..Config::default() });
    let identity = Identity { host: "host".to_owned(), port: 9090, start_code: 7 };
    let dispatcher = Arc::new(Dispatcher::new(Arc::new(Yes), identity, live));
    let (client, stream) = duplex(4096);
    let serving = tokio::spawn(async move {
        let caller = Caller::new(([127, 0, 0, 1], 1).into());
        let stream = BufferedStream::new(stream, dispatcher.claim_memory(&caller), caller.peer.ip());
        let dialect = Dialect { framed: true, encoding: Encoding::Binary };
        session::serve(dispatcher, stream, dialect, DefaultService::Assumed(Service::Thrift1), caller).await;
    });
    (client, serving)
}

async fn works(client: &mut DuplexStream) {
    client.write_all(CALL).await.unwrap();
    let length = client.read_u32().await.unwrap();
    let mut reply = vec![0; length as usize];
    client.read_exact(&mut reply).await.unwrap();
    assert!(reply.windows(3).any(|bytes| bytes == b"yes"), "{}", reply.escape_ascii());
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_answers_after_hours() {
    let (mut client, serving) = connect(Limits::default());
    for hours in [1, 12, 24 * 30] {
        works(&mut client).await;
        advance(Duration::from_secs(hours * 3600)).await;
    }
    works(&mut client).await;
    drop(client);
    serving.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_that_idles_for_longer_than_it_may_is_closed() {
    let limit = Duration::from_secs(3600);
    let (mut client, serving) = connect(Limits { idle_max: Some(limit), ..Limits::default() });
    for _ in 0..3 {
        works(&mut client).await;
        advance(limit - Duration::from_secs(1)).await;
    }
    works(&mut client).await;
    advance(limit + Duration::from_secs(1)).await;
    serving.await.unwrap();
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
}
