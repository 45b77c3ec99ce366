//! Creating, altering and deleting namespaces, with HBase's order of checks.

use super::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::name::{DEFAULT_NAMESPACE, SYSTEM_NAMESPACE, check_namespace};
use crate::quote::Quoted;
use crate::schema::NamespaceDescriptor;

/// HBase's master fails on an illegal name with an error that its clients retry as if it were temporary.
fn check_name(name: &str) -> Result<()> {
    check_namespace(name).map_err(|e| e.as_kind(ErrorKind::Unprocessable))
}

impl Engine {
    /// Creates a namespace.
    ///
    /// # Errors
    /// `Unprocessable` for an illegal name, `NamespaceExists`, `Refused` or `Constraint` for a bad quota.
    pub fn create_namespace(&self, descriptor: NamespaceDescriptor) -> Result<()> {
        let catalog = &self.handle.live()?.catalog;
        let counter = catalog.begin(&self.stop)?;
        check_name(&descriptor.name)?;
        if catalog.namespace(&descriptor.name).is_ok() {
            return Err(Error::new(
                ErrorKind::NamespaceExists,
                format!("Namespace {} already exists", Quoted(&descriptor.name)),
            )
            .with_remedy("choose another name, or alter this one"));
        }
        descriptor.check_quotas()?;
        catalog.put_namespace(&counter, descriptor)
    }

    /// Replaces a namespace's configuration.
    ///
    /// # Errors
    /// `Unprocessable` for an illegal name, `NamespaceNotFound`, `Refused` or `Constraint` for a bad quota.
    pub fn modify_namespace(&self, descriptor: NamespaceDescriptor) -> Result<()> {
        let catalog = &self.handle.live()?.catalog;
        let counter = catalog.begin(&self.stop)?;
        check_name(&descriptor.name)?;
        catalog.namespace(&descriptor.name)?;
        descriptor.check_quotas()?;
        catalog.put_namespace(&counter, descriptor)
    }

    /// Deletes an empty namespace.
    ///
    /// # Errors
    /// `NamespaceNotFound`; `Constraint` if it is reserved or has tables; `Unprocessable` for the empty name.
    pub fn delete_namespace(&self, name: &str) -> Result<()> {
        let catalog = &self.handle.live()?.catalog;
        let counter = catalog.begin(&self.stop)?;
        if name.is_empty() {
            check_name(name)?;
        }
        catalog.namespace(name)?;
        if matches!(name, DEFAULT_NAMESPACE | SYSTEM_NAMESPACE) {
            return Err(Error::new(ErrorKind::Constraint, format!("Reserved namespace {name} cannot be removed."))
                .with_remedy("HBase needs it; remove its tables instead"));
        }
        let tables = catalog.tables().iter().filter(|t| t.name().namespace() == name).count();
        if tables > 0 {
            return Err(Error::new(
                ErrorKind::Constraint,
                format!("Only empty namespaces can be removed. Namespace {name} has {tables} tables"),
            )
            .with_remedy("delete them first"));
        }
        catalog.remove_namespace(&counter, name)
    }

    /// The descriptor of a namespace.
    ///
    /// # Errors
    /// `NamespaceNotFound`, even if the name is illegal.
    pub fn namespace(&self, name: &str) -> Result<NamespaceDescriptor> {
        self.handle.live()?.catalog.namespace(name)
    }

    /// Passes all namespaces to a function, by name, and copies none. The function must not use the database. Its first
    /// error ends the visit.
    ///
    /// # Errors
    /// That of the function.
    pub fn visit_namespaces<E>(
        &self,
        visit: impl FnMut(&NamespaceDescriptor) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.catalog().visit_namespaces(visit)
    }

    /// All namespaces, by name.
    pub fn namespaces(&self) -> Vec<NamespaceDescriptor> {
        self.catalog().namespaces()
    }
}
