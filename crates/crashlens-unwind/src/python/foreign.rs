//! The call through ctypes or cffi that the crashed thread was in.
//!
//! Responsible for what is called and with which arguments. What was passed is read from the records of libffi's
//! caller on the native stack, which every version has in the same form; only the Python values come from objects.

mod arguments;
mod cffi;
mod ctypes;
mod door;
mod imports;
mod site;
mod window;

use crashlens_core::{
    Address, ForeignApi, ForeignArgument, ForeignCall, Module, PointerTarget, Registers, StackEnd,
};

use crate::ProcessSnapshot;
use crate::arch;
use crate::native::RawStack;
use crate::testimony::{Answer, Scene};

use super::values::ValueReader;
pub(crate) use door::read_anything;
use site::Site;
use window::{Passed, Window};

/// Arguments that are told.
const MOST_ARGUMENTS: usize = 32;
/// Addresses below are never mapped: a small number is no pointer.
const FIRST_ADDRESS: u64 = 0x1_0000;
/// How far from a pointer an access may be that went through it.
const REACH: u64 = 0x1_0000;
const LONGEST_TYPE: usize = 200;

/// What is known of a call before its arguments are judged.
struct Found {
    function: Option<String>,
    target: u64,
    declares: Option<bool>,
    declared: Vec<String>,
    passed: Vec<Passed>,
    arguments: Option<Vec<u64>>,
}

/// Finds the call. `Ok(None)` when the crashed thread was in none.
pub(crate) fn read(scene: &Scene<'_>) -> Answer<ForeignCall> {
    if let Some(site) = site::find(scene) {
        return read_site(scene, site);
    }
    let is_cut = |stack: &RawStack| stack.end != StackEnd::Complete;
    let has_crashed = scene.snapshot.crashed_thread.is_some();
    if has_crashed && scene.stacks.first().is_some_and(is_cut) {
        return Err("the stack of the crashed thread could not be read to its end".to_owned());
    }
    Ok(None)
}

fn read_site(scene: &Scene<'_>, site: Site) -> Answer<ForeignCall> {
    let python = scene.python.ok_or("there is no interpreter")?;
    let format = python.values.ok_or("the layout of objects is not known")?;
    let budget = super::values::budget(scene.confidential);
    let values = format.reader(&budget, scene.snapshot);
    let window = Window::read(values.memory(), site.low, site.high)
        .map_err(|gap| format!("the stack of the call: {gap}"))?;
    let found = match site.api {
        ForeignApi::Ctypes => by_ctypes(scene, &values, &window),
        ForeignApi::Cffi => by_cffi(&values, &window),
    };
    let found = found.ok_or("the function object is not on the stack of the call")?;
    Ok(Some(tell(scene, &values, site.api, &found)))
}

fn by_ctypes(scene: &Scene<'_>, values: &ValueReader<'_>, window: &Window) -> Option<Found> {
    let call = window.call_interface(values.memory());
    let function = ctypes::function(values, window, call.as_ref())?;
    let passed = call.as_ref().map(|call| {
        let places = window.ctypes_values(call).unwrap_or_default();
        call.values(values.memory(), &places)
    });
    let passed = passed.unwrap_or_default();
    let arguments = call
        .as_ref()
        .map(|call| arguments::objects(values, window, call.address))
        .and_then(|objects| arguments::find(values, &objects, &passed));
    let name_of_type = |kind: &u64| ctypes::type_name(values, *kind).unwrap_or_default();
    Some(Found {
        function: function
            .name
            .or_else(|| name_of_own(scene, function.target)),
        target: function.target,
        declares: function.declares,
        declared: function.declared.iter().map(name_of_type).collect(),
        passed,
        arguments,
    })
}

fn by_cffi(values: &ValueReader<'_>, window: &Window) -> Option<Found> {
    let function = cffi::function(values, window)?;
    Some(Found {
        function: None,
        target: function.target,
        declares: Some(true),
        declared: function.declared,
        passed: function.passed,
        arguments: function.arguments,
    })
}

/// Names of the functions that ctypes brings itself and makes without looking them up.
fn name_of_own(scene: &Scene<'_>, target: u64) -> Option<String> {
    let is_ctypes = |module: &&Module| module.name.split('.').next() == Some("_ctypes");
    let of_python = |file: &str| file.ends_with("/ctypes/__init__.py");
    let innermost = scene
        .python?
        .threads
        .iter()
        .find(|thread| thread.thread == scene.snapshot.crashed_thread)
        .and_then(|thread| thread.frames.first())?;
    let module = scene.images.at(target).map(|image| &image.module);
    if module.as_ref().is_some_and(is_ctypes) && of_python(&innermost.file) {
        return Some(innermost.function.clone());
    }
    let modules = scene.images.modules();
    let own = modules.iter().find(is_ctypes)?;
    imports::name_of(scene.confidential, own, target, &["memmove", "memset"]).map(str::to_owned)
}

fn tell(
    scene: &Scene<'_>,
    values: &ValueReader<'_>,
    api: ForeignApi,
    found: &Found,
) -> ForeignCall {
    let Found { passed, .. } = found;
    let arguments = found.arguments.as_deref().unwrap_or_default();
    let count = passed.len().max(arguments.len()).min(MOST_ARGUMENTS);
    let argument = |index: usize| {
        let object = arguments.get(index).copied();
        let passed = passed.get(index).copied();
        let number = object.and_then(|object| values.integer(object));
        let pointer = passed.and_then(|passed| pointer(scene.snapshot, passed));
        ForeignArgument {
            value: object.filter(|_| scene.locals).map(|object| {
                let mut value = values.value(object);
                let number = || ctypes::number(values, object, passed?);
                let pointer = || cffi::pointer(values, object, passed?);
                value.text = value.text.or_else(number).or_else(pointer);
                value
            }),
            declared: found
                .declared
                .get(index)
                .filter(|name| !name.is_empty() && name.len() <= LONGEST_TYPE)
                .cloned(),
            passed_as: passed.map(|passed| passed.kind.name().to_owned()),
            truncated: number
                .zip(passed)
                .is_some_and(|(number, passed)| is_truncated(number, passed)),
            pointer: pointer.map(Address),
            target: pointer.map(|pointer| target(scene.snapshot, pointer)),
        }
    };
    let module = scene.images.at(found.target).map(|image| &image.module);
    ForeignCall {
        api,
        function: found.function.clone(),
        address: Some(Address(found.target)),
        library: module.map(|module| module.name.clone()),
        declared: found.declares,
        arguments: (0..count).map(argument).collect(),
    }
}

fn is_truncated(number: i64, passed: Passed) -> bool {
    let bits = passed.kind.bytes().saturating_mul(8) as u32;
    if !passed.kind.is_integer() || bits == 0 || bits >= 64 {
        return false;
    }
    number < -(1 << (bits - 1)) || number >= 1 << bits
}

/// The pointer that the argument is: by its type, or because the access that failed went through it.
fn pointer(snapshot: &ProcessSnapshot, passed: Passed) -> Option<u64> {
    let bits = passed.bits?;
    if passed.kind.is_pointer() {
        return Some(bits);
    }
    // A small number may be anything, and is near to every field of a null object.
    if !passed.kind.is_integer() || bits < FIRST_ADDRESS {
        return None;
    }
    let signal = snapshot.signal.as_ref()?;
    let is_near = |address: u64| {
        let distance = address.checked_sub(bits);
        distance.is_some_and(|distance| distance < REACH)
    };
    let failed = match signal.code.as_deref()? {
        // For an address that no memory can have the kernel gives none.
        "SI_KERNEL" => {
            let held =
                |registers: &Registers| arch::likely_arguments(registers).into_iter().any(is_near);
            bits >> 47 != 0 && signal.registers.as_ref().is_some_and(held)
        }
        code if code.starts_with("SEGV_") || code.starts_with("BUS_") => {
            signal.address.is_some_and(|address| is_near(address.0))
        }
        _ => false,
    };
    failed.then_some(bits)
}

fn target(snapshot: &ProcessSnapshot, pointer: u64) -> PointerTarget {
    match snapshot.mapping_at(pointer) {
        Some(_) => PointerTarget::Mapped,
        None if pointer < FIRST_ADDRESS => PointerTarget::Null,
        None => PointerTarget::Unmapped,
    }
}

#[cfg(test)]
mod tests;
