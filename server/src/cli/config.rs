//! `hjall config`: prints the settings.

use hjall_server::StartError;
use hjall_server::access::Users;
use hjall_server::settings::{self, Effective, Refused, Sources, StartupOptions};

use super::args::OutputFormat;
use super::exit::Failure;
use super::{log, output};

/// Prints the settings that result from these sources to standard output, and remarks to standard error. Then checks
/// the files that the settings name, as a start does, so that errors are reported before one.
pub fn run(sources: &Sources, format: OutputFormat) -> Result<(), Failure> {
    let mut checked = Ok(());
    let text = match format {
        OutputFormat::Commented => settings::commented(),
        OutputFormat::Markdown => settings::markdown(),
        OutputFormat::Toml | OutputFormat::Json => {
            let effective = Effective::read(sources).map_err(Failure::Settings)?;
            let startup = StartupOptions::of(&effective).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
            for line in effective.notes.lines(sources.hbase_site.as_deref()) {
                eprintln!("hjall: {line}");
            }
            checked = check(&startup);
            if format == OutputFormat::Json {
                settings::json(&effective, &startup)
            } else {
                settings::shown(&effective, &startup)
            }
        }
    };
    output::print(&text);
    checked
}

/// Checks the users file, the files of TLS and the log's filter.
fn check(startup: &StartupOptions) -> Result<(), Failure> {
    log::check(&startup.log.filter).map_err(|why| Failure::Usage(format!("log.filter {why}")))?;
    if let Some(path) = &startup.config.auth.users {
        Users::read(path).map_err(|error| Failure::Start(StartError::Users(error)))?;
    }
    if let Some(files) = &startup.config.tls {
        files.check().map_err(|error| Failure::Start(StartError::Tls(error)))?;
    }
    Ok(())
}
