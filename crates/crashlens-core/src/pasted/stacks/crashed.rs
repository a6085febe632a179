//! Which stack is that of the crash, and what of it was there before the signal.

use super::{MOST_FRAMES, Sketch, Writer};
use crate::capture::{Frame, NativeFrame, StackEnd, Thread, ThreadRole};

/// Functions that the kernel puts between a fault and the handler of its signal, as debuggers and libraries name them;
/// the last two are what the C library's return from a handler is mistaken for.
const TRAMPOLINES: [&str; 6] = [
    "<signal handler called>",
    "_sigtramp",
    "__restore_rt",
    "__kernel_rt_sigreturn",
    "killpg",
    "__funlockfile",
];

/// Functions with which threads begin.
const FIRST_FUNCTIONS: [&str; 7] = [
    "_start",
    "__libc_start_main",
    "clone",
    "__clone",
    "clone3",
    "start_thread",
    "thread_start",
];

/// How far from the top the trampoline is looked for where the frame has no name: a handler is a few functions deep.
const HANDLER_DEPTH: usize = 6;

/// The threads of all stacks, the crashed one first, and its number.
pub(super) fn threads(
    mut sketches: Vec<Sketch>,
    of_core: bool,
    stopped: Option<u32>,
) -> (Vec<Thread>, Option<u32>) {
    mark(&mut sketches, of_core, stopped);
    drop_repeated(&mut sketches);
    for sketch in &mut sketches {
        if sketch.heading.writer == Writer::Paddle {
            sketch.frames.reverse();
        }
        if sketch.heading.crashed && sketch.heading.writer.is_signal_handler() {
            drop_handler(sketch);
        }
    }
    // faulthandler also tells of a crashed thread that runs no Python code.
    sketches.retain(|sketch| {
        let is_current = sketch.heading.crashed && sketch.heading.writer == Writer::Faulthandler;
        is_current || !sketch.frames.is_empty()
    });
    let native = choose(&sketches, |writer| writer != Writer::Faulthandler);
    let python = choose(&sketches, |writer| writer == Writer::Faulthandler);
    let first = join(&mut sketches, native, python);
    if let Some(first) = first {
        let crashed = sketches.remove(first);
        sketches.insert(0, crashed);
    }
    let mut ids: Vec<u32> = Vec::new();
    let threads: Vec<Thread> = sketches
        .into_iter()
        .map(|sketch| {
            let id = unused_id(&ids, sketch.heading.id);
            ids.push(id);
            thread(sketch, id)
        })
        .collect();
    let crashed = first.and(threads.first()).map(|thread| thread.id);
    (threads, crashed)
}

/// Marks the stack of the crash where its writer did not say.
fn mark(sketches: &mut [Sketch], of_core: bool, stopped: Option<u32>) {
    for sketch in sketches
        .iter_mut()
        .filter(|it| it.heading.writer == Writer::Gdb)
    {
        let label = sketch.heading.label;
        let is_stopped = label.is_some() && label == stopped;
        // gdb counts the thread of a core file that took the signal as its first.
        let is_first_of_core = of_core && stopped.is_none() && label == Some(1);
        // `bt` without more shows the thread that gdb stopped in.
        sketch.heading.crashed |= is_stopped || is_first_of_core || !sketch.is_announced;
    }
    // A heading that was cut away: what is left is the crash if nothing else of its kind can be.
    let mut python = sketches
        .iter_mut()
        .filter(|it| it.heading.writer == Writer::Faulthandler);
    if let (Some(only), None) = (python.next(), python.next()) {
        only.heading.crashed |= !only.is_announced;
    }
    if let [only] = sketches {
        only.heading.crashed |= only.heading.writer.is_debugger();
    }
}

/// gdb tells where it stopped, and `bt` tells it again.
fn drop_repeated(sketches: &mut Vec<Sketch>) {
    let is_whole = |sketch: &Sketch| sketch.heading.crashed && sketch.frames.len() > 1;
    let has_whole = sketches
        .iter()
        .any(|it| it.heading.writer == Writer::Gdb && is_whole(it));
    let mut seen = false;
    sketches.retain(|sketch| {
        let is_stop = sketch.heading.writer == Writer::Gdb
            && sketch.heading.crashed
            && sketch.frames.len() == 1;
        let is_repeated = is_stop && (has_whole || seen);
        seen |= is_stop;
        !is_repeated
    });
}

/// Takes away what the handler of the signal did: the stack is that of the fault.
fn drop_handler(sketch: &mut Sketch) {
    let is_glog = sketch.heading.writer == Writer::Glog;
    // glog tells the place of the fault first and then the stack of its handler.
    let begin = usize::from(is_glog && sketch.last_number == Some(0));
    let trampoline =
        sketch
            .frames
            .iter()
            .enumerate()
            .skip(begin)
            .find(|(depth, frame)| match frame {
                Frame::Native(frame) => is_trampoline(frame, *depth, is_glog.then_some(begin)),
                Frame::Python(_) => false,
            });
    if let Some((depth, _)) = trampoline {
        sketch.frames.drain(begin..=depth);
    }
}

/// Whether the kernel put the frame there. In libraries without names it is a nameless place of the C library.
/// `glog`: at which depth the stack of glog's handler begins.
fn is_trampoline(frame: &NativeFrame, depth: usize, glog: Option<usize>) -> bool {
    match frame.function.as_deref() {
        Some(function) => TRAMPOLINES.contains(&function),
        None if glog.is_some() => depth == 1 && glog == Some(1),
        None => {
            let library = frame.library.as_deref().unwrap_or_default();
            let is_c_library = ["libc.so", "libc-", "libpthread.so", "libpthread-"]
                .iter()
                .any(|name| library.starts_with(name));
            is_c_library && depth < HANDLER_DEPTH && frame.module_offset.is_some()
        }
    }
}

/// The crashed stack that tells most: a debugger's before others, and then the first.
fn choose(sketches: &[Sketch], is_kind: impl Fn(Writer) -> bool) -> Option<usize> {
    let crashed = sketches.iter().enumerate().filter(|(_, sketch)| {
        sketch.heading.crashed && is_kind(sketch.heading.writer) && !sketch.frames.is_empty()
    });
    let worth = |sketch: &Sketch| {
        let is_single = matches!(sketch.heading.writer, Writer::Kernel | Writer::Windows);
        (is_single, !sketch.heading.writer.is_debugger())
    };
    crashed
        .min_by_key(|(index, sketch)| (worth(sketch), *index))
        .map(|(index, _)| index)
}

/// Joins the native and the Python stack of the crash, innermost first.
fn join(sketches: &mut Vec<Sketch>, native: Option<usize>, python: Option<usize>) -> Option<usize> {
    let (Some(native), Some(python)) = (native, python) else {
        let crashed = sketches.iter().position(|sketch| sketch.heading.crashed);
        return native.or(python).or(crashed);
    };
    let outer = sketches.remove(python);
    let native = native - usize::from(python < native);
    let inner = sketches.get_mut(native)?;
    inner.frames.extend(outer.frames);
    inner.frames.truncate(2 * MOST_FRAMES);
    inner.is_cut |= outer.is_cut;
    inner.heading.name = inner.heading.name.take().or(outer.heading.name);
    Some(native)
}

fn unused_id(taken: &[u32], wanted: Option<u32>) -> u32 {
    let wanted = wanted.filter(|id| *id != 0 && !taken.contains(id));
    let free = (1..u32::MAX).find(|id| !taken.contains(id));
    wanted.or(free).unwrap_or_default()
}

fn thread(sketch: Sketch, id: u32) -> Thread {
    let outermost = sketch.frames.last();
    let is_complete = match outermost {
        Some(Frame::Native(frame)) => {
            let function = frame.function.as_deref().unwrap_or_default();
            FIRST_FUNCTIONS.contains(&function)
        }
        Some(Frame::Python(frame)) => matches!(frame.function.as_str(), "<module>" | "_bootstrap"),
        None => false,
    };
    Thread {
        id,
        role: role(&sketch),
        name: sketch.heading.name.unwrap_or_default(),
        crashed: sketch.heading.crashed,
        holds_gil: None,
        waits_for_crashed: false,
        end: match (sketch.is_cut, is_complete) {
            (true, _) => StackEnd::DepthLimit,
            (false, true) => StackEnd::Complete,
            (false, false) => StackEnd::Lost,
        },
        frames: sketch.frames,
    }
}

/// What the outermost Python frame tells: `<module>` is where a program begins.
fn role(sketch: &Sketch) -> ThreadRole {
    let outermost = sketch.frames.iter().rev().find_map(|frame| match frame {
        Frame::Python(frame) => Some(frame),
        Frame::Native(_) => None,
    });
    match outermost {
        Some(frame) if frame.file.ends_with("threading.py") => ThreadRole::Python,
        Some(frame) if matches!(frame.function.as_str(), "<module>" | "_run_module_as_main") => {
            ThreadRole::Main
        }
        _ if sketch.heading.name.as_deref() == Some("MainThread") => ThreadRole::Main,
        _ => ThreadRole::Other,
    }
}
