//! Lines that name what is missing.

use super::{install, suspicion};
use crate::evidence::Weight;
use crate::facts::Sighting;
use crate::remedy::{Pip, ShellLine};
use crate::rule::{Remedy, Risk, Suspicion};

pub(crate) fn none_of(sight: &Sighting<'_>, weight: Weight) -> Suspicion {
    let parts = sight.group("parts").unwrap_or_default();
    let first = parts.split(',').next().unwrap_or(parts).trim();
    let headline = format!("{first}, a part of cuDNN, is missing");
    suspicion(sight, weight, headline).remedy(install())
}

pub(crate) fn function_not_found(sight: &Sighting<'_>, weight: Weight) -> Suspicion {
    let function = sight.group("function").unwrap_or("a function");
    let headline = format!(
        "cuDNN is missing: TensorFlow looked for its function {function} and did not find it"
    );
    suspicion(sight, weight, headline).remedy(install())
}

pub(crate) fn zlibwapi(sight: &Sighting<'_>, weight: Weight) -> Suspicion {
    let headline = "zlibwapi.dll is missing, which cuDNN for Windows needs and does not bring";
    suspicion(sight, weight, headline.to_owned()).remedy(
        Remedy::new("Put zlibwapi.dll (64 bit) into a folder of PATH, for instance beside cudnn64_8.dll, or install cuDNN 8.9.5 or later.")
            .risk(Risk::Environment),
    )
}

/// The part is there, and of a version that does not have the function.
pub(crate) fn symbol_not_loaded(sight: &Sighting<'_>, weight: Weight) -> Suspicion {
    let function = sight.group("function").unwrap_or("a function");
    let headline = match sight.group("part") {
        Some(part) => {
            format!("{part} does not have {function}: it is not the one that cuDNN goes with")
        }
        None => format!("A part of cuDNN or CUDA with the function {function} is missing"),
    };
    suspicion(sight, weight, headline).remedy(install())
}

pub(crate) fn tensorrt(sight: &Sighting<'_>, weight: Weight) -> Suspicion {
    let headline = "TensorRT (libnvinfer) is missing, and the program asked for it";
    suspicion(sight, weight, headline.to_owned()).remedy(
        Remedy::new("Install TensorRT, or do not convert the model with TF-TRT.")
            .command_if(Pip::install(["tensorrt"]))
            .risk(Risk::Environment),
    )
}

/// A part of CUDA's tools without which XLA cannot compile.
pub(crate) fn libdevice(sight: &Sighting<'_>, weight: Weight) -> Suspicion {
    let headline = "libdevice, a file of CUDA that XLA needs to compile for the GPU, is missing";
    suspicion(sight, weight.min(Weight::Strong), headline.to_owned()).remedy(
        Remedy::new("Tell XLA where CUDA is: the folder that has nvvm/libdevice.").command(
            ShellLine::unix("export XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda"),
        ),
    )
}
