use anyhow::{Result, bail};

#[derive(clap::Args)]
pub struct Options {}

pub fn run(_: &Options) -> Result<()> {
    bail!("not there yet")
}
