//! Files about the GPU that hold anything: the driver's words, cuDNN's header, TensorFlow's `build_info.py`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_inspect::fuzzing::gpu_files(bytes));
