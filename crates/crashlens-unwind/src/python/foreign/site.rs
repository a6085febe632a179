//! Where on the native stack of the crashed thread a call left Python through libffi.
//!
//! ctypes and cffi hand the call to libffi, which calls the function from one place in assembly. The stack from
//! there outwards to the interpreter is the [`Site`]: all that the caller knew of the call is on it.

use crashlens_core::{ForeignApi, Module};

use crate::arch;
use crate::native::RawFrame;
use crate::testimony::Scene;

/// libffi's own frames and those of ctypes or cffi are five at most.
const MOST_FRAMES: usize = 8;

/// The frames of one call, from libffi's innermost one outwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) api: ForeignApi,
    /// Stack pointer of libffi's innermost frame.
    pub(super) low: u64,
    /// Stack pointer of the interpreter's frame.
    pub(super) high: u64,
}

/// What a module has to do with foreign calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Libffi,
    Api(ForeignApi),
    Other,
}

impl Part {
    fn of(module: Option<&Module>) -> Self {
        let name = module.map_or("", |module| module.name.as_str());
        let stem = name.split('.').next().unwrap_or_default();
        match stem {
            "_ctypes" => Self::Api(ForeignApi::Ctypes),
            "_cffi_backend" => Self::Api(ForeignApi::Cffi),
            // Wheels carry their own as `libffi-9c61262e.so.8.1.0`.
            _ if stem == "libffi" || stem.starts_with("libffi-") => Self::Libffi,
            _ => Self::Other,
        }
    }
}

/// The innermost call, if the crashed thread was in one and ran no Python code inside of it.
pub(super) fn find(scene: &Scene<'_>) -> Option<Site> {
    let thread = scene.snapshot.threads.first()?;
    if Some(thread.id) != scene.snapshot.crashed_thread {
        return None;
    }
    let frames = scene.stacks.first()?.frames.as_slice();
    let parts: Vec<Part> = frames
        .iter()
        .map(|frame| Part::of(scene.images.at(frame.lookup).map(|image| &image.module)))
        .collect();
    let innermost = (1..frames.len()).find(|index| {
        let is_candidate = parts[*index] != Part::Other || is_interpreter(scene, frames[*index]);
        is_candidate && arch::calls_like_libffi(scene.confidential, frames[*index].address)
    })?;
    let site = outwards(frames, &parts, innermost)?;
    let called_back = parts
        .iter()
        .take(innermost)
        .enumerate()
        .any(|(index, part)| {
            // The function itself may be one of ctypes' own, such as the one behind `string_at`.
            *part == Part::Libffi || (*part != Part::Other && index + 1 < innermost)
        });
    (!called_back && !ran_python_inside(scene, site)).then_some(site)
}

/// From libffi's frame outwards to the first that belongs to neither libffi nor the module that used it.
fn outwards(frames: &[RawFrame], parts: &[Part], innermost: usize) -> Option<Site> {
    let low = frames.get(innermost)?.stack;
    let until = frames.len().min(innermost + MOST_FRAMES);
    let api = parts
        .get(innermost..until)?
        .iter()
        .find_map(|part| match part {
            Part::Api(api) => Some(*api),
            _ => None,
        });
    let outer = match api {
        Some(api) => (innermost..until)
            .skip_while(|index| parts[*index] != Part::Api(api))
            .find(|index| parts[*index] == Part::Other)?,
        // All in one file: builds that link ctypes and libffi into the interpreter.
        None if parts[innermost] == Part::Other => until.checked_sub(1)?,
        None => return None,
    };
    Some(Site {
        api: api.unwrap_or(ForeignApi::Ctypes),
        low,
        high: frames.get(outer)?.stack,
    })
}

fn is_interpreter(scene: &Scene<'_>, frame: RawFrame) -> bool {
    let module = scene.images.at(frame.lookup).map(|image| &image.module);
    let library = scene.python.map(|python| python.runtime.library.as_str());
    library.is_some() && module.map(|module| module.path.as_str()) == library
}

/// Whether the innermost evaluation of Python code is inside of the call: then the call is not what crashed.
fn ran_python_inside(scene: &Scene<'_>, site: Site) -> bool {
    let threads = scene.python.iter().flat_map(|python| &python.threads);
    let mut crashed = threads.filter(|thread| thread.thread == scene.snapshot.crashed_thread);
    let evaluation = crashed
        .next()
        .and_then(|thread| thread.frames.iter().find_map(|frame| frame.evaluation));
    evaluation.is_some_and(|evaluation| evaluation.0 < site.low)
}
