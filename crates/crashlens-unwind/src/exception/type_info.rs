//! What a C++ type says of itself: its name, its kind, its bases.
//!
//! A `std::type_info` is believed only if the type of its own description is one of the runtime's: every such
//! object begins with a pointer to a table whose owner has a name that the ABI fixes.

use crate::ReadMemory;
use crate::text;
use crashlens_core::demangle;

/// Bases that are looked at in all; deep and wide hierarchies end sooner.
const MOST_BASES: usize = 64;
/// How deep bases are followed.
const DEEPEST: usize = 16;
/// Bases of one class.
const MOST_DIRECT_BASES: u32 = 16;

/// How a type is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `int`, `double`.
    Fundamental,
    /// A pointer.
    Pointer,
    /// A class without bases.
    Class,
    /// A class with one base at its beginning.
    SingleBase,
    /// A class with several bases, or virtual ones.
    ManyBases,
    /// An enumeration, an array, a function.
    Other,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypeInfo {
    pub(super) address: u64,
    pub(super) kind: Kind,
    /// As the ABI writes it: `St9bad_alloc`.
    pub(super) mangled: String,
}

impl TypeInfo {
    /// The type described at `address`, if there is one.
    pub(super) fn read(memory: &dyn ReadMemory, address: u64) -> Option<Self> {
        let table = memory.u64(address).ok()?;
        let description = memory.u64(table.checked_sub(8)?).ok()?;
        let kind = match name(memory, description)?.as_str() {
            "N10__cxxabiv123__fundamental_type_infoE" => Kind::Fundamental,
            "N10__cxxabiv119__pointer_type_infoE" => Kind::Pointer,
            "N10__cxxabiv117__class_type_infoE" => Kind::Class,
            "N10__cxxabiv120__si_class_type_infoE" => Kind::SingleBase,
            "N10__cxxabiv121__vmi_class_type_infoE" => Kind::ManyBases,
            "N10__cxxabiv116__enum_type_infoE"
            | "N10__cxxabiv117__array_type_infoE"
            | "N10__cxxabiv120__function_type_infoE"
            | "N10__cxxabiv129__pointer_to_member_type_infoE" => Kind::Other,
            _ => return None,
        };
        Some(Self {
            address,
            kind,
            mangled: name(memory, address)?,
        })
    }

    /// The part of `object` that is a `wanted`, and where it begins.
    pub(super) fn find_base(
        &self,
        memory: &dyn ReadMemory,
        object: u64,
        wanted: &dyn Fn(&Self) -> bool,
    ) -> Option<(Self, u64)> {
        let mut open = vec![(self.clone(), object, 0)];
        for _ in 0..MOST_BASES {
            let (part, place, depth) = open.pop()?;
            if wanted(&part) {
                return Some((part, place));
            }
            if depth < DEEPEST {
                let bases = part.bases(memory, place).unwrap_or_default();
                let inner = bases.into_iter().rev();
                open.extend(inner.map(|(base, place)| (base, place, depth + 1)));
            }
        }
        None
    }

    /// The direct bases of `object`, which is of this type, and where they begin.
    fn bases(&self, memory: &dyn ReadMemory, object: u64) -> Option<Vec<(Self, u64)>> {
        let follow = self.address.checked_add(16)?;
        match self.kind {
            Kind::SingleBase => {
                let base = Self::read(memory, memory.u64(follow).ok()?)?;
                Some(vec![(base, object)])
            }
            Kind::ManyBases => {
                let count = memory.u32(follow.checked_add(4)?).ok()?;
                let entries = (0..u64::from(count.min(MOST_DIRECT_BASES))).filter_map(|index| {
                    let entry = follow.checked_add(8)?.checked_add(index * 16)?;
                    let base = Self::read(memory, memory.u64(entry).ok()?)?;
                    let flags = memory.u64(entry.checked_add(8)?).ok()? as i64;
                    Some((base, base_place(memory, object, flags)?))
                });
                Some(entries.collect())
            }
            _ => None,
        }
    }
}

/// The name of a type as people write it, from how the ABI writes it.
pub(super) fn readable(mangled: &str) -> String {
    const STRING: &str =
        "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
    let name = demangle(&format!("_ZTI{mangled}"));
    match name.strip_prefix("typeinfo for ") {
        Some(name) => name
            .replace(STRING, "std::string")
            .replace("__cxxabiv1::", "abi::"),
        None => mangled.to_owned(),
    }
}

/// Where a base begins: the upper bits are its offset, or for a virtual base where the class's table has that.
fn base_place(memory: &dyn ReadMemory, object: u64, flags: i64) -> Option<u64> {
    const VIRTUAL: i64 = 1;
    let offset = flags >> 8;
    if flags & VIRTUAL == 0 {
        return Some(object.wrapping_add_signed(offset));
    }
    let table = memory.u64(object).ok()?;
    let offset = memory.u64(table.wrapping_add_signed(offset)).ok()?;
    Some(object.wrapping_add(offset))
}

/// The name of the type described at `address`. A leading `*` marks one that is compared by address.
fn name(memory: &dyn ReadMemory, address: u64) -> Option<String> {
    let name = text::c_string(memory, memory.u64(address.checked_add(8)?).ok()?)?;
    let name = name.trim_start_matches('*');
    let is_mangled = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
    is_mangled.then(|| name.to_owned())
}
