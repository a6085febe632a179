//! HDF5: data sets, and the weights that Keras keeps in it.

use std::io;

use crate::reading::Reading;

pub(crate) fn read(_reading: &mut Reading<'_>) -> io::Result<()> {
    Ok(())
}
