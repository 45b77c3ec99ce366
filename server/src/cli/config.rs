//! `hjall config`: prints the settings.

use std::io::{self, Write};

use hjall_server::settings::{self, Effective, Refused, Sources, StartupOptions};

use super::args::OutputFormat;
use super::exit::Failure;

/// Prints the settings that result from these sources to standard output, and remarks to standard error.
pub fn run(sources: &Sources, format: OutputFormat) -> Result<(), Failure> {
    let text = match format {
        OutputFormat::Commented => settings::commented(),
        OutputFormat::Markdown => settings::markdown(),
        OutputFormat::Toml | OutputFormat::Json => {
            let effective = Effective::read(sources).map_err(Failure::Settings)?;
            let startup = StartupOptions::of(&effective).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
            for line in effective.notes.lines(sources.hbase_site.as_deref()) {
                eprintln!("hjall: {line}");
            }
            if format == OutputFormat::Json {
                settings::json(&effective, &startup)
            } else {
                settings::shown(&effective, &startup)
            }
        }
    };
    // An error means that standard output is closed, so there is no reader.

    let _ = io::stdout().lock().write_all(text.as_bytes());
    Ok(())
}
