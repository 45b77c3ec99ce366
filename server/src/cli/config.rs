//! `hjall config`: prints the settings.

use std::io::{self, Write};

use hjall_server::settings::{self, InForce, Launch, Refused, Sources};

use super::args::OutputFormat;
use super::exit::Failure;

/// Prints the settings that result from these sources to standard output, and remarks to standard error.
pub fn run(sources: &Sources, format: OutputFormat) -> Result<(), Failure> {
    let text = match format {
        OutputFormat::Commented => settings::commented(),
        OutputFormat::Markdown => settings::markdown(),
        OutputFormat::Toml | OutputFormat::Json => {
            let force = InForce::read(sources).map_err(Failure::Settings)?;
            let launch = Launch::of(&force).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
            for line in force.notes.lines(sources.hbase_site.as_deref()) {
                eprintln!("hjall: {line}");
            }
            if format == OutputFormat::Json {
                settings::json(&force, &launch)
            } else {
                settings::shown(&force, &launch)
            }
        }
    };
    // An error means that standard output is closed, so there is no reader.

    let _ = io::stdout().lock().write_all(text.as_bytes());
    Ok(())
}
