//! Writes the manual pages of all commands to a folder. An example does it, so that the program itself is built without
//! what makes them.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("usage: man FOLDER"))?;
    let mut command = crashlens::command().disable_help_subcommand(true);
    command.build();
    write_pages(&command, &folder)
}

/// The page of a command, and of those below it: `crashlens-check.1`, `crashlens-check-data.1`.
fn write_pages(command: &Command, folder: &PathBuf) -> io::Result<()> {
    for subcommand in shown(command) {
        write_pages(subcommand, folder)?;
    }
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    let name = name(command);
    let version = env!("CARGO_PKG_VERSION");
    // Not by `render_title`: it leaves an empty date out, and what comes after it takes its place.
    writeln!(
        text,
        ".TH {name} 1 \"\" \"crashlens {version}\" \"crashlens manual\""
    )?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if shown(command).next().is_some() {
        page.render_subcommands_section(&mut text)?;
    }
    last_sections(command).to_writer(&mut text)?;
    fs::write(folder.join(page.get_filename()), text)
}

/// With that of the commands above it: `crashlens-check-data`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
}

/// What the help ends with, and the page of the command above.
fn last_sections(command: &Command) -> Roff {
    let mut roff = Roff::default();
    let notes = command.get_after_help().map(ToString::to_string);
    if let Some((heading, text)) = notes.as_deref().and_then(|text| text.split_once(": ")) {
        roff.control("SH", [heading.to_uppercase().as_str()]);
        let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
        roff.text([roman(first.to_uppercase() + rest)]);
    }
    if let Some((above, _)) = name(command).rsplit_once('-') {
        roff.control("SH", ["SEE ALSO"]);
        roff.text([bold(above), roman("(1)")]);
    }
    roff
}
