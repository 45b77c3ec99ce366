//! `hjall config`: prints the settings.

use hjall_server::StartError;
use hjall_server::settings::{self, Effective, Refused, Sources, StartupOptions};

use super::args::OutputFormat;
use super::exit::Failure;
use super::{log, open_files, output, warnings};

/// Prints the settings that result from these sources to standard output. Then checks the files that the settings name,
/// as a start does, so that errors are reported before one. Standard error gets the warnings of a start; with `strict`,
/// they are a failure.
pub fn run(sources: &Sources, format: OutputFormat, strict: bool) -> Result<(), Failure> {
    match format {
        OutputFormat::Commented => output::print(&settings::commented()),
        OutputFormat::Markdown => output::print(&settings::markdown()),
        OutputFormat::Toml | OutputFormat::Json => {
            let effective = Effective::read(sources).map_err(Failure::Settings)?;
            let startup = StartupOptions::of(&effective).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
            output::print(&match format {
                OutputFormat::Json => settings::json(&effective, &startup),
                _ => settings::shown(&effective, &startup),
            });
            open_files::raise()?;
            let of_settings = warnings::of(&effective, &startup);
            let lines: Vec<_> = of_settings.into_iter().chain(check(&startup, &effective)?).collect();
            for line in &lines {
                log::say(format!("hjall: warning: {line}"));
            }
            if strict && !lines.is_empty() {
                return Err(Failure::Warnings(lines.len()));
            }
        }
    }
    Ok(())
}

/// Checks the users file, the files of TLS and the log's filter. Returns warnings about the files.
fn check(startup: &StartupOptions, effective: &Effective) -> Result<Vec<String>, Failure> {
    log::check(startup, effective)?;
    let auth = startup.config.auth.check().map_err(|error| Failure::Start(StartError::Users(error)))?;
    let tls = startup.config.tls.as_ref().map(|files| files.check()).transpose();
    let tls = tls.map_err(|error| Failure::Start(StartError::Tls(error)))?;
    Ok(auth.into_iter().chain(tls.into_iter().flatten()).collect())
}
