//! What a clash leaves on a stack.

use crate::capture::Phase;
use crate::evidence::FactRef;
use crate::facts::{Facts, NativeSight};

/// Something on the stack that only a clash puts there.
pub(super) struct Clash {
    pub(super) headline: String,
    pub(super) claim: String,
    pub(super) fact: FactRef,
}

/// Frames from the innermost outwards in which it is looked for.
const NEAR: usize = 6;

/// Functions of libraries that many packages bring along, and the file that is their home.
const BROUGHT_ALONG: [(&str, &str); 8] = [
    ("uv_", "libuv"),
    ("png_", "libpng"),
    ("jpeg_", "libjpeg"),
    ("TIFF", "libtiff"),
    ("SSL_", "libssl"),
    ("EVP_", "libcrypto"),
    ("sqlite3_", "libsqlite"),
    ("curl_", "libcurl"),
];

/// Containers of the C++ library: templates that every user has a copy of, and any copy may be taken.
const CONTAINERS: [&str; 6] = [
    "_Hashtable",
    "std::vector<",
    "_Rb_tree",
    "basic_string<",
    "std::deque<",
    "std::list<",
];

pub(super) fn find(facts: &Facts<'_>, frames: &[NativeSight<'_>]) -> Option<Clash> {
    once(facts, frames)
        .or_else(|| second_locale(frames))
        .or_else(|| wrong_facet(facts, frames))
        .or_else(|| foreign_container(frames))
        .or_else(|| two_mkl(frames))
        .or_else(|| taken_function(frames))
        .or_else(|| lock_before_time(frames))
}

fn is_initialiser(sight: &NativeSight<'_>) -> bool {
    let names = [
        // Operators are registered while the library that has them is loaded.
        "torch::Library::_fallback",
        "torch::Library::_impl",
        "torch::Library::_def",
        "TorchLibraryInit",
        "OpDefBuilderReceiver",
        "register_op::",
        "_dl_init",
        "_GLOBAL__sub_I",
        "__static_initialization_and_destruction",
        "doModInitFunctions",
        "__do_global_ctors",
        "call_init",
    ];
    names.iter().any(|name| sight.function().contains(name))
}

fn is_loading(facts: &Facts<'_>, frames: &[NativeSight<'_>]) -> bool {
    matches!(facts.phase(), Some(Phase::Importing { .. })) || frames.iter().any(is_initialiser)
}

/// `std::call_once` of one build calls through a variable of another, which is empty.
fn once(facts: &Facts<'_>, frames: &[NativeSight<'_>]) -> Option<Clash> {
    let is_once = |it: &&NativeSight<'_>| {
        ["std::call_once", "__pthread_once", "pthread_once"]
            .iter()
            .any(|name| it.function().contains(name))
    };
    let top = frames.first()?;
    let nowhere = top.frame.address.0 < 0x1000 && top.library().is_empty();
    let sight = frames.iter().take(3).find(is_once)?;
    let is_it =
        sight.index == top.index || (nowhere && frames.get(1).as_ref().is_some_and(is_once));
    let user = frames
        .iter()
        .take(NEAR)
        .find(|it| !it.library().is_empty() && !it.is_of_runtime());
    let user = user.map_or("a library", NativeSight::library);
    (is_it && (nowhere || is_loading(facts, frames))).then(|| Clash {
        headline: format!("{user} got parts of another C++ runtime than it was built with, from a library that was loaded before"),
        claim: format!("It died in {}, calling through a pointer that nobody had set.", super::short(sight.function())),
        fact: sight.fact.clone(),
    })
}

/// The C++ library's own set-up, in a copy that an extension module brought along.
fn second_locale(frames: &[NativeSight<'_>]) -> Option<Clash> {
    let sight = frames.iter().take(NEAR).find(|it| {
        let is_setup = ["std::locale::", "std::ios_base::Init"]
            .iter()
            .any(|name| it.function().contains(name));
        is_setup && !it.library().is_empty() && !it.is_of_runtime()
    })?;
    Some(Clash {
        headline: format!(
            "{} brought a second C++ library along, which got mixed up with the first",
            sight.library()
        ),
        claim: format!(
            "It died in {} inside {}.",
            super::short(sight.function()),
            sight.library()
        ),
        fact: sight.fact.clone(),
    })
}

/// The C++ library took a part of its locale for another one, while a library was being loaded.
fn wrong_facet(facts: &Facts<'_>, frames: &[NativeSight<'_>]) -> Option<Clash> {
    let parts = [
        "std::codecvt",
        "std::ctype",
        "std::num_put",
        "std::use_facet",
        "std::__try_use_facet",
    ];
    let sight = frames
        .iter()
        .take(NEAR)
        .find(|it| parts.iter().any(|part| it.function().contains(part)))?;
    let user = frames
        .iter()
        .find(|it| !it.library().is_empty() && !it.is_of_runtime())?;
    let dies_inside = frames.first().is_some_and(NativeSight::is_of_runtime);
    (dies_inside && is_loading(facts, frames)).then(|| Clash {
        headline: format!(
            "{} met another C++ library than its own while it was being loaded",
            user.library()
        ),
        claim: format!("It died in {}.", super::short(sight.function())),
        fact: sight.fact.clone(),
    })
}

/// TensorFlow called a container of the C++ library and landed in somebody else's copy.
fn foreign_container(frames: &[NativeSight<'_>]) -> Option<Clash> {
    let (inner, outer) =
        frames
            .iter()
            .zip(frames.iter().skip(1))
            .take(NEAR)
            .find(|(inner, outer)| {
                let function = inner.function();
                let is_container = CONTAINERS.iter().any(|name| function.contains(name));
                // These are called on purpose, through `std::function` and shared pointers.
                let is_callback = [
                    "_Function_handler",
                    "_M_manager",
                    "_Sp_counted",
                    "_M_invoke",
                ]
                .iter()
                .any(|name| function.contains(name));
                inner.is_foreign()
                    && is_container
                    && !is_callback
                    && outer.is_of_tensorflow()
                    && outer.function().contains("tensorflow::")
            })?;
    Some(Clash {
        headline: format!(
            "TensorFlow used a function of {} that has the name of one of its own",
            inner.library()
        ),
        claim: format!(
            "{} called into {}, which it does not know of.",
            super::short(outer.function()),
            inner.library()
        ),
        fact: inner.fact.clone(),
    })
}

/// One operation that ran in two copies of MKL.
fn two_mkl(frames: &[NativeSight<'_>]) -> Option<Clash> {
    let of_mkl = |it: &&NativeSight<'_>| it.function().starts_with("mkl_");
    let separate = frames
        .iter()
        .filter(of_mkl)
        .find(|it| it.library().starts_with("libmkl"))?;
    let inside = frames
        .iter()
        .filter(of_mkl)
        .find(|it| !it.library().is_empty() && !it.library().starts_with("libmkl"))?;
    Some(Clash {
        headline: format!(
            "Two copies of MKL worked on one operation: {} and the one inside {}",
            separate.library(),
            inside.library()
        ),
        claim: format!(
            "{} ran in {}, called from {}.",
            inside.function(),
            inside.library(),
            separate.library()
        ),
        fact: inside.fact.clone(),
    })
}

/// A function of a library that many bring along, run in somebody's copy for somebody else.
fn taken_function(frames: &[NativeSight<'_>]) -> Option<Clash> {
    let top = frames.iter().find(|it| !it.is_of_runtime())?;
    let (beginning, home) = BROUGHT_ALONG.iter().find(|(beginning, home)| {
        top.function().starts_with(beginning)
            && !top.library().is_empty()
            && !top.library().starts_with(home)
    })?;
    let caller = frames
        .iter()
        .skip_while(|it| it.index <= top.index)
        .find(|it| it.library() != top.library())?;
    let directly_before = frames.iter().rfind(|it| it.index < caller.index)?;
    let is_same_package =
        top.package_folder().is_some() && caller.package_folder() == top.package_folder();
    let is_its_own =
        is_same_package || caller.is_of_runtime() || crate::culprit::is_interpreter(caller.frame);
    let is_taken = directly_before.function().starts_with(beginning)
        && !is_its_own
        && !caller.function().is_empty();
    is_taken.then(|| Clash {
        headline: format!(
            "A function of {home} ran in the copy inside {} for code that has its own",
            top.library()
        ),
        claim: format!(
            "{} called {} in {}.",
            super::short(caller.function()),
            directly_before.function(),
            top.library()
        ),
        fact: directly_before.fact.clone(),
    })
}

/// A lock that is used while libraries are being loaded, before it exists.
fn lock_before_time(frames: &[NativeSight<'_>]) -> Option<Clash> {
    let lock = frames.iter().take(3).find(|it| {
        [
            "pthread_mutex_lock",
            "mutex::lock",
            "shared_mutex_base::lock",
        ]
        .iter()
        .any(|name| it.function().contains(name))
    })?;
    let user = frames
        .iter()
        .take(NEAR)
        .find(|it| it.is_foreign() && !it.function().contains("mutex"))?;
    frames.iter().any(is_initialiser).then(|| Clash {
        headline: format!(
            "{} used a lock that was not set up yet while it was being loaded",
            user.library()
        ),
        claim: format!(
            "{} locked it from an initialiser.",
            super::short(user.function())
        ),
        fact: lock.fact.clone(),
    })
}
