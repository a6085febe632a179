//! The arguments of `check data` and `check model`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crashlens_files::PathEnd;

use super::CheckReportArgs;
use crate::duration;

/// Check training files: damage that TensorFlow crashes on, hangs on, refuses, or reads as wrong values without a word.
///
/// JPEG, PNG, GIF, BMP, WebP, TFRecord, NumPy, HDF5, CSV, WAV, Parquet and Arrow files are known by their content.
/// Files are read; nothing is changed, moved or deleted unless --move-to asks for it.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 when nothing was found, 1 when something was found at or above --fail-on, \
2 when crashlens failed or could not do all that was asked."
)]
pub(crate) struct DataArgs {
    #[command(flatten)]
    pub(crate) scan: ScanArgs,

    /// The feature, array or column that holds the labels; by default those of a usual name, such as `label` or `y`
    #[arg(long, value_name = "NAME", requires = "classes")]
    pub(crate) labels: Option<String>,

    /// How many classes there are: labels are to be from 0 to one less
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) classes: Option<u64>,

    /// Look at every file once more so long after the scan, for those that change
    #[arg(long, value_name = "SECONDS", value_parser = duration::parse)]
    pub(crate) watch: Option<Duration>,

    /// Move files with findings at or above --fail-on into this folder
    ///
    /// Never moved: links, files outside of PATH that a link leads to, and objects in a store. Those that were left are named.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) move_to: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) report: CheckReportArgs,
}

/// Check models, checkpoints and weights before anything loads them.
///
/// `SavedModels`, checkpoints, frozen graphs, .keras, .h5, .tflite, safetensors, ONNX and pickles. Nothing is loaded or
/// run: of a pickle only the instructions are listed.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 when nothing was found, 1 when something was found at or above --fail-on, \
2 when crashlens failed or could not do all that was asked."
)]
pub(crate) struct ModelArgs {
    #[command(flatten)]
    pub(crate) scan: ScanArgs,

    #[command(flatten)]
    pub(crate) report: CheckReportArgs,
}

/// What is read, how far, and what is kept of it.
#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    /// Files, folders and patterns such as `train/*.jpg`
    ///
    /// Where crashlens was built with object storage also `s3://bucket/key`, `gs://…` and `az://container/…`: an object,
    /// the prefix of a checkpoint, a folder or a pattern. The variables of the environment that the tools of these stores
    /// read name endpoint, region and credentials; without credentials buckets are read as anybody may.
    #[arg(value_name = "PATH", required_unless_present = "files_from")]
    pub(crate) paths: Vec<OsString>,

    /// Also check the files that are listed in this file, a path on each line; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,

    /// Paths in --files-from and --quarantine end with a zero byte instead of a line's end, as with `find -print0` and
    /// `xargs -0`: names may hold line ends
    #[arg(long, short = '0')]
    pub(crate) null: bool,

    /// Decode everything and look at every value, not only structure and checksums
    #[arg(long)]
    pub(crate) full: bool,

    /// Check for this environment: its interpreter or folder, or the id of a running process
    #[arg(long, value_name = "PATH|PID")]
    pub(crate) against: Option<String>,

    /// Write hashes of all files here; if it is there already, go on with it or compare with it
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,

    /// Write the paths of files with findings at or above --fail-on to this file, one on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) quarantine: Option<PathBuf>,

    /// Threads that read; by default one for each core, and at least 8 for object storage
    #[arg(long, short, value_name = "COUNT")]
    pub(crate) jobs: Option<std::num::NonZero<usize>>,

    /// Pixels of an image above which it is not decoded, in millions
    #[arg(long, value_name = "MILLIONS", default_value_t = 512)]
    pub(crate) max_pixels: u64,

    /// Gigabytes above which compressed parts are not unpacked
    #[arg(long, value_name = "GB", default_value_t = 64)]
    pub(crate) max_unpacked: u64,

    /// Time for one file
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, default_value = "10m")]
    pub(crate) timeout: Duration,
}

impl ScanArgs {
    /// What ends each path in lists that are read and written.
    pub(crate) fn path_end(&self) -> PathEnd {
        if self.null {
            PathEnd::Zero
        } else {
            PathEnd::Newline
        }
    }
}
