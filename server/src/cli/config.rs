//! `hjall config`: prints the settings.

use std::io::{self, Write};

use hjall_server::settings::{self, InForce, Launch, Refused, Sources};

use super::args::Form;
use super::exit::Failure;

/// Prints what is in force with these sources; notes go to standard error.
pub fn run(sources: &Sources, form: Form) -> Result<(), Failure> {
    let text = match form {
        Form::Commented => settings::commented(),
        Form::Markdown => settings::markdown(),
        Form::Toml | Form::Json => {
            let force = InForce::read(sources).map_err(Failure::Settings)?;
            let launch = Launch::of(&force).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
            for line in force.notes.lines(sources.hbase_site.as_deref()) {
                eprintln!("hjall: {line}");
            }
            if form == Form::Json { settings::json(&force, &launch) } else { settings::shown(&force, &launch) }
        }
    };
    // Whoever closed standard output does not want to know.
    let _ = io::stdout().lock().write_all(text.as_bytes());
    Ok(())
}
