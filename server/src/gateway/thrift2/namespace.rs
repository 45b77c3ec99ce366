//! Namespaces.

use hjall_engine::name::{NAME_LENGTH_MAX, check_namespace, namespace_text};
use hjall_engine::quote;
use hjall_engine::read::Budget;
use hjall_engine::schema::NamespaceDescriptor;
use hjall_engine::{Error, ErrorKind};
use hjall_idl::hbase2::{
    CreateNamespaceArgs, DeleteNamespaceArgs, GetNamespaceDescriptorArgs, ListNamespaceDescriptorsArgs,
    ListNamespacesArgs, ModifyNamespaceArgs, TNamespaceDescriptor,
};

use super::error::{Answer, master};
use crate::gateway::context::{CallContext, Context};
use crate::wire::fault::Fault;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn descriptor(sent: &TNamespaceDescriptor) -> Answer<NamespaceDescriptor> {
    if sent.name.len() > NAME_LENGTH_MAX {
        check_namespace(&sent.name).map_err(fault)?;
    }
    let pairs = sent.configuration.iter().flatten();
    Ok(NamespaceDescriptor { name: text(&sent.name), configuration: pairs.map(|(k, v)| (text(k), text(v))).collect() })
}

fn descriptor_back(namespace: NamespaceDescriptor) -> TNamespaceDescriptor {
    let configuration = namespace.configuration;
    let pairs = |(k, v): (String, String)| (k.into_bytes(), v.into_bytes());
    TNamespaceDescriptor {
        name: namespace.name.into_bytes(),
        configuration: (!configuration.is_empty()).then(|| configuration.into_iter().map(pairs).collect()),
    }
}

/// The fault for an error of the master. For an invalid name, the master's client retries until it gives up.
fn fault(error: Error) -> Fault {
    match error.kind() {
        ErrorKind::InvalidArgument => master(&error.as_kind(ErrorKind::Unprocessable)),
        _ => master(&error),
    }
}

/// Creates a namespace.
pub fn create_namespace(context: &CallContext<'_>, a: CreateNamespaceArgs) -> Answer<()> {
    context.changes().create_namespace(descriptor(&a.namespace_desc)?).map_err(fault)
}

/// Replaces the configuration of a namespace.
pub fn modify_namespace(context: &CallContext<'_>, a: ModifyNamespaceArgs) -> Answer<()> {
    context.changes().modify_namespace(descriptor(&a.namespace_desc)?).map_err(fault)
}

/// Deletes an empty namespace. An invalid name is reported as a missing namespace; only an empty name is
/// invalid here.
pub fn delete_namespace(context: &CallContext<'_>, a: DeleteNamespaceArgs) -> Answer<()> {
    let deleted = context.changes().delete_namespace(&namespace_text(&a.name));
    deleted.map_err(|error| match error.kind() {
        ErrorKind::InvalidArgument | ErrorKind::NamespaceNotFound if !a.name.is_empty() => missing(&a.name),
        ErrorKind::NamespaceNotFound => {
            fault(Error::invalid("Namespace a.name must not be empty").with_remedy("name one"))
        }
        _ => fault(error),
    })
}

/// The descriptor of a namespace.
pub fn get_namespace_descriptor(context: &Context, a: GetNamespaceDescriptorArgs) -> Answer<TNamespaceDescriptor> {
    match context.engine.namespace(&namespace_text(&a.name)) {
        Ok(namespace) => Ok(descriptor_back(namespace)),
        Err(error) => match error.kind() {
            ErrorKind::InvalidArgument | ErrorKind::NamespaceNotFound => Err(missing(&a.name)),
            _ => Err(fault(error)),
        },
    }
}

/// The error for a namespace that does not exist. HBase's text is the name.
pub fn missing(name: &[u8]) -> Fault {
    master(&Error::namespace_not_found(quote::utf8(name)))
}

/// The descriptors of all namespaces, by name.
pub fn list_namespace_descriptors(
    context: &CallContext<'_>,
    _: ListNamespaceDescriptorsArgs,
) -> Answer<Vec<TNamespaceDescriptor>> {
    let mut all = Vec::new();
    context.engine.visit_namespaces(|namespace| -> Answer<()> {
        if context.administers_namespace(&namespace.name) {
            let bytes = namespace.configuration.iter().map(|(key, value)| 8 + key.len() + value.len()).sum::<usize>();
            take_name(context, &namespace.name, bytes)?;
            all.push(descriptor_back(namespace.clone()));
        }
        Ok(())
    })?;
    Ok(all)
}

/// The names of all namespaces, in order.
pub fn list_namespaces(context: &CallContext<'_>, _: ListNamespacesArgs) -> Answer<Vec<String>> {
    let mut all = Vec::new();
    context.engine.visit_namespaces(|namespace| -> Answer<()> {
        take_name(context, &namespace.name, 0)?;
        all.push(namespace.name.clone());
        Ok(())
    })?;
    Ok(all)
}

/// Counts a name, and this many further bytes, towards the memory of the call.
fn take_name(context: &CallContext<'_>, name: &str, more: usize) -> Answer<()> {
    context.scope.take(0, 4 + name.len() + more).map_err(|error| master(&error))
}
