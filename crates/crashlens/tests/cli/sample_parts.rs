//! Frames, threads and modules that the samples are made of.

use crashlens_core::capture::*;

pub(super) const SITE: &str = "/home/ada/job/.venv/lib/python3.11/site-packages";
pub(super) const PYTHON: &str = "libpython3.11.so.1.0";
pub(super) const CC: &str = "libtensorflow_cc.so.2";
pub(super) const FRAMEWORK: &str = "libtensorflow_framework.so.2";

pub(super) fn native(library: &str, function: &str) -> Frame {
    let path = match library {
        CC | FRAMEWORK | "_pywrap_tfe.so" => format!("{SITE}/tensorflow/{library}"),
        _ => format!("/usr/lib/{library}"),
    };
    Frame::Native(NativeFrame {
        address: Address(0x7f00_0000_1000),
        library: Some(library.to_owned()),
        path: Some(path),
        module_offset: Some(Address(0x1000)),
        function: (!function.is_empty()).then(|| function.to_owned()),
        function_offset: Some(16),
        source: None,
        inlined: false,
        trust: FrameTrust::CallFrameInfo,
    })
}

pub(super) fn python(file: &str, line: u32, function: &str, source: &str) -> Frame {
    Frame::Python(PythonFrame {
        file: file.to_owned(),
        line: Some(line),
        function: function.to_owned(),
        source: Some(format!("    {source}")),
        trust: FrameTrust::Interpreter,
        locals: Vec::new(),
    })
}

pub(super) fn thread(id: u32, name: &str, role: ThreadRole, frames: Vec<Frame>) -> Thread {
    Thread {
        id,
        name: name.to_owned(),
        role,
        crashed: false,
        holds_gil: Some(false),
        waits_for_crashed: false,
        frames,
        end: StackEnd::Complete,
    }
}

pub(super) fn idle_pool(first: u32, count: u32) -> impl Iterator<Item = Thread> {
    (first..first + count).map(|id| {
        let frames = vec![
            native("libc.so.6", ""),
            native("libc.so.6", "pthread_cond_wait"),
            native(FRAMEWORK, "Eigen::ThreadPoolTempl<tsl::thread::EigenEnvironment>::WaitForWork(Eigen::EventCount::Waiter*, tsl::thread::EigenEnvironment::Task*)"),
            native(FRAMEWORK, "tsl::(anonymous namespace)::PThread::ThreadFn(void*)"),
            native("libc.so.6", ""),
        ];
        thread(id, &format!("tf_Compute/{id}"), ThreadRole::Pool, frames)
    })
}

pub(super) fn module(name: &str, package: Option<(&str, &str)>) -> Module {
    Module {
        name: name.to_owned(),
        path: format!("{SITE}/tensorflow/{name}"),
        start: Address(0x7f00_0000_0000),
        end: Address(0x7f00_1000_0000),
        bias: Address(0x7f00_0000_0000),
        build_id: Some("5f1c0de5".to_owned()),
        package: package.map(|(name, version)| Package {
            name: name.to_owned(),
            version: version.to_owned(),
        }),
    }
}
