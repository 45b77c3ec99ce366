//! The exceptions of a server. Thrift2 transmits the message of a Java exception: one from a region server or the
//! master begins with its class, one of the client library inside the gateway can be recognised by its text alone.

use hjall_engine::name::TableName;
use hjall_idl::REMEDY_LINE;
use hjall_idl::hbase2::TIOError;

use super::super::Failure;

/// The failure that an exception is.
pub fn of_io(io: &TIOError, table: Option<&TableName>) -> Failure {
    of_text(io.message.as_deref().unwrap_or_default(), io.can_retry.unwrap_or(false), table)
}

/// The class at the beginning of a message, and the rest.
fn classified(text: &str) -> Option<(&str, &str)> {
    let (head, rest) = text.split_once(':')?;
    let simple = head.rsplit('.').next()?;
    let named = head.contains('.') && (simple.ends_with("Exception") || simple.ends_with("Error"));
    let legal = head.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$'));
    (named && legal).then(|| (head, rest.trim_start()))
}

/// The message without the remedy of hjall's server and without the stack, as HBase's shell shows it.
fn without_stack(text: &str) -> &str {
    let end = [REMEDY_LINE, "\n\tat ", "\n    at ", "\nat "].iter().filter_map(|frame| text.find(frame)).min();
    end.map_or(text, |end| &text[..end]).trim_end()
}

/// The remedy that hjall's server adds to a message.
fn remedy(text: &str) -> Option<&str> {
    text.split_once(REMEDY_LINE).and_then(|(_, remedy)| remedy.lines().next())
}

/// The failure that a message is.
pub fn of_text(text: &str, can_retry: bool, table: Option<&TableName>) -> Failure {
    of_message(without_stack(text), can_retry, table).with_remedy(remedy(text))
}

fn of_message(message: &str, can_retry: bool, table: Option<&TableName>) -> Failure {
    // The gateway's client gave up: the last cause is named behind the last class.
    if message.starts_with("Failed after attempts=") || message.starts_with("Failed ") && message.contains(" action") {
        let cause = message.match_indices("Exception: ").last().and_then(|(at, found)| {
            let begin = message[..at].rfind([' ', '\n', ',']).map_or(0, |space| space + 1);
            classified(&message[begin..]).or(Some(("java.io.IOException", &message[at + found.len()..])))
        });
        if let Some((class, rest)) = cause {
            return Failure::of_class(class, rest.lines().next().unwrap_or(rest).trim());
        }
    }
    if let Some((class, rest)) = classified(message) {
        // The gateway's client puts the class before the message of a region server, which begins with it.
        let rest = match classified(rest) {
            Some((again, rest)) if again == class && class.ends_with("AccessDeniedException") => rest,
            _ => rest,
        };
        return Failure::of_class(class, rest);
    }
    if let Some(table) = table
        && (message == table.to_string() || message == table.with_namespace())
        && !can_retry
    {
        return Failure::of_class("org.apache.hadoop.hbase.TableNotFoundException", message);
    }
    if message.ends_with(" is disabled.") || message.ends_with(" is disabled") {
        return Failure::of_class("org.apache.hadoop.hbase.TableNotEnabledException", message);
    }
    if message.contains("state=ENABLED") {
        return Failure::of_class("org.apache.hadoop.hbase.TableNotDisabledException", message);
    }
    if message.contains("state=DISABLED") {
        return Failure::of_class("org.apache.hadoop.hbase.TableNotEnabledException", message);
    }
    let message = if message.is_empty() { "the server gave no reason; its log may have one" } else { message };
    Failure::of_class("java.io.IOException", message)
}
