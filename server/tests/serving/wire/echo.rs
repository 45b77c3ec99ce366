//! Services that return the name of the call and misbehave on demand.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use hjall_engine::read::Budget;
use hjall_server::dispatch::call::Services;
use hjall_server::dispatch::call_scope::CallScope;
use hjall_server::observe::LaneMetrics;
use hjall_server::settings::config::Limits;
use hjall_server::wire::fault::Fault;
use hjall_server::wire::method::{LaneKind, Method};
use hjall_server::wire::reply::Output;
use hjall_server::{Config, Server};
use thrift::protocol::{TFieldIdentifier, TInputProtocol, TStructIdentifier, TType};

/// Answers `Thrift1 getRow` and the like, after reading all arguments.
///
/// `getRowTs` panics, `getRowWithColumns` answers 1 MiB, `getVer` tells the test that it runs and waits for permission
/// to end. `scannerGetList` does so without blocking: it pauses when it is told to, and answers with the number of its
/// runs.
pub struct Echo {
    started: Sender<()>,
    resume: Receiver<()>,
}

/// The test's end of `getVer` and `scannerGetList`.
pub struct Gate {
    pub started: Receiver<()>,
    pub resume: Sender<()>,
}

impl Echo {
    pub fn new() -> (Arc<Self>, Gate) {
        let (started, has_started) = unbounded();
        let (resume, may_resume) = bounded(1000);
        (Arc::new(Self { started, resume: may_resume }), Gate { started: has_started, resume })
    }

    fn scan(&self, scope: &CallScope<'_>) -> Result<usize, Fault> {
        let before = scope.take_kept().and_then(|kept| kept.downcast::<usize>().ok());
        let runs = before.map_or(1, |runs| *runs + 1);
        if runs == 1 {
            self.started.send(()).unwrap();
        }
        while self.resume.try_recv().is_err() {
            if scope.must_pause(1) {
                scope.keep(Box::new(runs));
                return Err(Fault::internal("paused"));
            }
            scope.check().map_err(|error| Fault::internal(error.to_string()))?;
        }
        Ok(runs)
    }
}

impl Services for Echo {
    fn call(
        &self,
        scope: &CallScope<'_>,
        method: Method,
        input: &mut dyn TInputProtocol,
        output: &mut Output<'_>,
    ) -> Result<(), Fault> {
        input.skip(TType::Struct)?;
        let mut answer = format!("{:?} {}", method.service(), method.name());
        match method.name() {
            "getRowTs" => panic!("intended by the test"),
            "getRowWithColumns" => answer = "x".repeat(1 << 20),
            "getVer" => {
                self.started.send(()).unwrap();
                self.resume.recv().unwrap();
            }
            "getVerTs" => {
                self.started.send(()).unwrap();
                while scope.check().is_ok() {
                    std::thread::yield_now();
                }
                self.started.send(()).unwrap();
            }
            "scannerGetList" => answer = format!("runs: {}", self.scan(scope)?),
            "deleteAll" => return Err(Fault::io("java.io.IOException: no", true)),
            "deleteAllTs" => return Err(Fault::internal("only the log knows")),
            "getRowsWithColumnsTs" => {
                return Err(Fault::undeclared("java.lang.IllegalArgumentException", "x".repeat(1 << 20)));
            }
            "deleteAllRowTs" => {
                return Err(Fault::undeclared("java.lang.IllegalArgumentException", "row: empty\n\tat x"));
            }
            _ => {}
        }
        self::answer(output, &answer)
    }
}

/// Writes a result whose field 0 is a string.
pub fn answer(output: &mut Output<'_>, text: &str) -> Result<(), Fault> {
    output.generated(|output| {
        output.write_struct_begin(&TStructIdentifier::new("result"))?;
        output.write_field_begin(&TFieldIdentifier::new("success", TType::String, 0))?;
        output.write_string(text)?;
        output.write_field_end()?;
        output.write_field_stop()?;
        output.write_struct_end()
    })?;
    Ok(())
}

/// A configuration for one test: any free port, small lanes.
pub fn config() -> Config {
    Config { loops: 1, loops_max: 1, ..Config::on("127.0.0.1:0".parse().unwrap()) }
}

/// Like [`config`], with these limits.
pub fn limited(limits: Limits) -> Config {
    Config { limits, ..config() }
}

/// A server with an echo.
pub fn serve(config: Config) -> (Server, Gate) {
    let (echo, gate) = Echo::new();
    (Server::with_services(config, |_| echo).unwrap(), gate)
}

/// The metrics of a lane.
pub fn lane(server: &Server, kind: LaneKind) -> LaneMetrics {
    server.lanes().into_iter().find(|lane| lane.kind == kind).unwrap()
}
