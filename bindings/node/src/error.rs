//! The engine's kinds of errors by name; `node/lib/errors.js` has a class and a code for each.

use hjall_engine::ErrorKind;

/// The kind's name, without what a kind may carry.
pub fn name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidArgument => "InvalidArgument",
        ErrorKind::Unprocessable => "Unprocessable",
        ErrorKind::Refused => "Refused",
        ErrorKind::NotALong => "NotALong",
        ErrorKind::CellTooLarge => "CellTooLarge",
        ErrorKind::RowTooLarge => "RowTooLarge",
        ErrorKind::ReadOnly => "ReadOnly",
        ErrorKind::RowMismatch => "RowMismatch",
        ErrorKind::InvalidDescriptor => "InvalidDescriptor",
        ErrorKind::ClassNotFound => "ClassNotFound",
        ErrorKind::SystemTable => "SystemTable",
        ErrorKind::FilterMalformed => "FilterMalformed",
        ErrorKind::FilterRejected(_) => "FilterRejected",
        ErrorKind::TableNotFound => "TableNotFound",
        ErrorKind::TableExists => "TableExists",
        ErrorKind::TableDisabled => "TableDisabled",
        ErrorKind::TableNotDisabled => "TableNotDisabled",
        ErrorKind::NamespaceNotFound => "NamespaceNotFound",
        ErrorKind::NamespaceExists => "NamespaceExists",
        ErrorKind::Constraint => "Constraint",
        ErrorKind::FamilyNotFound => "FamilyNotFound",
        ErrorKind::FamilyOperation => "FamilyOperation",
        ErrorKind::NotServing => "NotServing",
        ErrorKind::Busy => "Busy",
        ErrorKind::Stale => "Stale",
        ErrorKind::Cancelled => "Cancelled",
        ErrorKind::Locked => "Locked",
        ErrorKind::NewerFormat => "NewerFormat",
        ErrorKind::DiskFull => "DiskFull",
        ErrorKind::Corrupt => "Corrupt",
        ErrorKind::Io => "Io",
        ErrorKind::Closed => "Closed",
    }
}
