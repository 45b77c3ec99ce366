//! The decision about each call, before its method runs: read-only mode, and the roles of the user.
//!
//! Every call of every service passes here, with the first argument of its method, or with the REST request, which
//! names what the call concerns.

use std::borrow::Cow;

use hjall_engine::name::{DEFAULT_NAMESPACE, TableName, namespace_text};
use hjall_engine::quote::{self, Quoted};
use hjall_idl::{hbase1, hbase2};

use crate::access::audit;
use crate::access::{Denied, Need, Role};
use crate::gateway::context::CallContext;
use crate::gateway::error::{IO, Raised};
use crate::settings::config::ReadOnly;
use crate::wire::fault::Fault;
use crate::wire::method::{Access, Effect, Method, ScannerUse, Service};

const ACCESS_DENIED: &str = "org.apache.hadoop.hbase.security.AccessDeniedException";

/// The first argument of a method. Names that are missing or not legal are `None`, which only roles for everything
/// cover.
pub trait Subject {
    /// The tables that it names.
    fn tables(&self) -> Vec<Option<TableName>> {
        vec![None]
    }

    /// The namespace that it names.
    fn namespace(&self) -> Option<Cow<'_, str>> {
        None
    }

    /// The scanner that it names.
    fn scanner(&self) -> Option<i32> {
        None
    }

    /// What it names, as text for the audit log.
    fn shown(&self) -> String {
        String::new()
    }
}

/// A method without arguments.
impl Subject for () {}

/// The name of a table, a namespace or a region, or a key of the catalog.
impl Subject for &[u8] {
    fn tables(&self) -> Vec<Option<TableName>> {
        vec![TableName::parse(self).ok()]
    }

    fn namespace(&self) -> Option<Cow<'_, str>> {
        Some(namespace_text(self))
    }

    fn shown(&self) -> String {
        quote::utf8(self).to_string()
    }
}

impl Subject for Vec<u8> {
    fn tables(&self) -> Vec<Option<TableName>> {
        self.as_slice().tables()
    }

    fn namespace(&self) -> Option<Cow<'_, str>> {
        Some(namespace_text(self))
    }

    fn shown(&self) -> String {
        self.as_slice().shown()
    }
}

impl Subject for hbase1::TAppend {
    fn tables(&self) -> Vec<Option<TableName>> {
        self.table.tables()
    }
}

impl Subject for hbase1::TIncrement {
    fn tables(&self) -> Vec<Option<TableName>> {
        self.table.tables()
    }
}

impl Subject for hbase2::TTableName {
    fn tables(&self) -> Vec<Option<TableName>> {
        // As the gateway reads it: no namespace and an empty one are the namespace `default`.
        vec![TableName::new(self.ns.as_deref().unwrap_or_default(), &self.qualifier).ok()]
    }

    fn shown(&self) -> String {
        let qualifier = quote::utf8(&self.qualifier);
        match self.ns.as_deref().unwrap_or_default() {
            namespace if namespace.is_empty() || namespace == DEFAULT_NAMESPACE.as_bytes() => qualifier.to_string(),
            namespace => format!("{}:{qualifier}", quote::utf8(namespace)),
        }
    }
}

impl Subject for hbase2::TTableDescriptor {
    fn tables(&self) -> Vec<Option<TableName>> {
        self.table_name.tables()
    }

    fn shown(&self) -> String {
        self.table_name.shown()
    }
}

impl Subject for hbase2::TNamespaceDescriptor {
    fn namespace(&self) -> Option<Cow<'_, str>> {
        self.name.namespace()
    }

    fn shown(&self) -> String {
        self.name.shown()
    }
}

/// The number of a scanner.
impl Subject for i32 {
    fn scanner(&self) -> Option<i32> {
        Some(*self)
    }
}

/// Several subjects. The call has to be allowed for each of them.
impl Subject for Vec<hbase1::TIncrement> {
    fn tables(&self) -> Vec<Option<TableName>> {
        self.iter().flat_map(Subject::tables).collect()
    }
}

impl Subject for Vec<hbase2::TTableName> {
    fn tables(&self) -> Vec<Option<TableName>> {
        self.iter().flat_map(Subject::tables).collect()
    }
}

/// Servers. Calls that concern them need roles for everything.
impl Subject for std::collections::BTreeSet<hbase2::TServerName> {}

/// An argument that a client may leave out.
impl<T: Subject> Subject for Option<T> {
    fn tables(&self) -> Vec<Option<TableName>> {
        self.as_ref().map_or_else(|| vec![None], Subject::tables)
    }

    fn namespace(&self) -> Option<Cow<'_, str>> {
        self.as_ref().and_then(Subject::namespace)
    }

    fn scanner(&self) -> Option<i32> {
        // The gateway takes 0 for a number that is left out.
        self.as_ref().map_or(Some(0), Subject::scanner)
    }

    fn shown(&self) -> String {
        self.as_ref().map_or_else(String::new, Subject::shown)
    }
}

/// Refuses a call that read-only mode or the roles of its user do not allow.
#[expect(clippy::redundant_closure, reason = "a variant's constructor is not general over lifetimes")]
pub fn check(context: &CallContext<'_>, method: Method, subject: &dyn Subject) -> Result<(), Fault> {
    check_writable(context.options.read_only, method)?;
    if !context.access.is_enforced() {
        return Ok(());
    }
    let role = |role| each(context, subject, |table| Need::Table(role, table));
    let checked = match method.info().access {
        Access::Read => role(Role::Read),
        Access::Write => role(Role::Write),
        Access::Check => role(Role::Read).and_then(|()| role(Role::Write)),
        Access::Admin => role(Role::Admin),
        Access::Any => each(context, subject, |table| Need::Any(table)),
        Access::Create => each(context, subject, |table| Need::Create(table)),
        Access::Namespace => may(context, Need::Namespace(subject.namespace().as_deref())),
        Access::Global => may(context, Need::Everything),
        Access::Scanner => scanner(context, method, subject),
        Access::Answer | Access::Everyone => may(context, Need::User),
    };
    checked.map_err(|denied| refused(context, method, &subject.shown(), &denied))
}

/// Checks what is needed for each table that the subject names.
fn each(
    context: &CallContext<'_>,
    subject: &dyn Subject,
    need: impl Fn(Option<&TableName>) -> Need<'_>,
) -> Result<(), Denied> {
    subject.tables().iter().try_for_each(|table| may(context, need(table.as_ref())))
}

fn may(context: &CallContext<'_>, need: Need<'_>) -> Result<(), Denied> {
    context.access.check(context.scope.caller.login(), need)
}

/// Only the user who opened a scanner may use it. The role for its table may have ended since.
fn scanner(context: &CallContext<'_>, method: Method, subject: &dyn Subject) -> Result<(), Denied> {
    may(context, Need::User)?;
    let opened = subject.scanner().and_then(|id| context.scanners.opened(method.service(), id));
    // The method's function reports an unknown number.
    let Some((user, table)) = opened else { return Ok(()) };
    let caller = context.scope.caller.user();
    if user.as_ref() != caller {
        return Err(Denied::not_owner(caller.map_or("", |user| user)));
    }
    match method.info().scanner {
        Some(ScannerUse::Closes) => Ok(()),
        _ => may(context, Need::Table(Role::Read, Some(&table))),
    }
}

/// The refusal in the form of HBase's gateways.
fn refused(context: &CallContext<'_>, method: Method, subject: &str, denied: &Denied) -> Fault {
    let caller = context.scope.caller;
    context.denied.set(true);
    context.access.log_denial(caller.user().map(|user| &**user), caller.peer, method.name(), subject, denied);
    let raised = Raised::new(ACCESS_DENIED, denied.to_string()).remote();
    let text = match method.service() {
        Service::Thrift1 => raised.stack_trace(),
        Service::Thrift2 => raised.bare(),
        Service::Rest => format!("{ACCESS_DENIED}: {denied}"),
    };
    Fault::io(text, false)
}

/// Refuses calls that read-only mode forbids. HBase has a mode for each of its gateways: that of Thrift2 forbids
/// changes of data, that of REST all changes, and Thrift1 has none.
fn check_writable(mode: ReadOnly, method: Method) -> Result<(), Fault> {
    let effect = method.info().effect;
    let forbidden = match mode {
        ReadOnly::Off => false,
        ReadOnly::AsHBase => match method.service() {
            Service::Thrift1 => false,
            Service::Thrift2 => effect == Effect::Data,
            Service::Rest => effect != Effect::None,
        },
        ReadOnly::All => effect != Effect::None,
    };
    if !forbidden {
        return Ok(());
    }
    let remedy = "the server is in read-only mode: its operator can change server.read_only";
    let text = match method.service() {
        Service::Rest => remedy.to_owned(),
        Service::Thrift1 | Service::Thrift2 => {
            Raised::new(IO, "Thrift Server is in Read-only mode.").with_remedy(remedy).bare()
        }
    };
    Err(Fault::io(text, false))
}

/// A call that changes tables, namespaces or the state of the server, for the audit log.
pub struct Change {
    method: Method,
    subject: String,
}

impl Change {
    /// The change that a call makes, or `None` if it makes none or writes cells.
    pub fn of(method: Method, subject: &dyn Subject) -> Option<Self> {
        (method.info().effect == Effect::Admin).then(|| Self { method, subject: subject.shown() })
    }

    /// Logs the change with its outcome, unless the method has denied it: denials are logged separately, at most one a
    /// second.
    pub fn log(self, context: &CallContext<'_>, failure: Option<&Fault>) {
        if context.denied.get() {
            return;
        }
        let caller = context.scope.caller;
        let outcome = failure.map_or_else(|| "done".to_owned(), |fault| audit::outcome(&fault.to_string()));
        tracing::info!(
            target: audit::TARGET,
            user = caller.user().map_or("-", |user| user),
            peer = %caller.peer,
            method = self.method.name(),
            subject = &*audit::shortened(&self.subject),
            outcome,
            "audit: change"
        );
    }
}

impl CallContext<'_> {
    /// Whether the user has any role for a table.
    pub fn sees(&self, table: &TableName) -> bool {
        may(self, Need::Any(Some(table))).is_ok()
    }

    /// Whether the user has the role admin for a table.
    pub fn administers(&self, table: &TableName) -> bool {
        may(self, Need::Table(Role::Admin, Some(table))).is_ok()
    }

    /// Whether the user has the role admin for a namespace.
    pub fn administers_namespace(&self, namespace: &str) -> bool {
        may(self, Need::Namespace(Some(namespace))).is_ok()
    }

    /// Refuses the call unless the user has the role admin for a table. For methods that find their tables themselves.
    pub fn require_admin(&self, method: Method, table: &TableName) -> Result<(), Fault> {
        may(self, Need::Table(Role::Admin, Some(table)))
            .map_err(|denied| refused(self, method, &Quoted(table).to_string(), &denied))
    }

    /// Refuses the call unless the user may create a table. For methods that find their tables themselves.
    pub fn require_create(&self, method: Method, table: &TableName) -> Result<(), Fault> {
        may(self, Need::Create(Some(table)))
            .map_err(|denied| refused(self, method, &Quoted(table).to_string(), &denied))
    }
}
