//! Names of functions as a person reads them, from the mangled names that dumps have.
//!
//! A light reading: the path of the name, without template arguments and parameters, which is what rules look for
//! (`tensorflow::OpRegistry::RegisterAlreadyLocked`). What is not understood stays as it is.

/// Parts of a name that are read.
const MOST_PARTS: usize = 64;

/// The readable form of a name.
pub(super) fn readable(name: &str) -> String {
    let mangled = name.strip_prefix("__Z").or_else(|| name.strip_prefix("_Z"));
    mangled
        .and_then(demangle)
        .unwrap_or_else(|| name.to_owned())
}

/// The path in a name of the Itanium C++ ABI, given without its `_Z`.
fn demangle(mangled: &str) -> Option<String> {
    // `Z…E` is something inside of a function.
    let (mangled, is_local) = match mangled.strip_prefix('Z') {
        Some(rest) => (rest, true),
        None => (mangled, false),
    };
    let mut parts: Vec<String> = Vec::new();
    if let Some(nested) = mangled.strip_prefix('N') {
        let qualifiers = |letter| matches!(letter, 'r' | 'V' | 'K' | 'R' | 'O');
        let mut rest = nested.trim_start_matches(qualifiers);
        while !rest.is_empty() && !rest.starts_with('E') && parts.len() < MOST_PARTS {
            rest = part(rest, &mut parts)?;
        }
    } else if mangled.starts_with(|first: char| first.is_ascii_digit()) || mangled.starts_with("St")
    {
        let rest = part(mangled, &mut parts)?;
        // `std` alone is no name.
        if mangled.starts_with("St") {
            part(rest, &mut parts)?;
        }
    }
    if is_local && !parts.is_empty() {
        parts.push("{lambda}".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join("::"))
}

/// Reads one part of a path and returns what follows it.
fn part<'a>(rest: &'a str, parts: &mut Vec<String>) -> Option<&'a str> {
    let first = rest.chars().next()?;
    match first {
        '0'..='9' => {
            let (name, rest) = identifier(rest)?;
            parts.push(if name.starts_with("_GLOBAL__N_") {
                "(anonymous namespace)".to_owned()
            } else {
                name.to_owned()
            });
            // `B5cxx11` tags a name.
            let mut rest = rest;
            while let Some(tag) = rest.strip_prefix('B') {
                rest = identifier(tag)?.1;
            }
            Some(rest)
        }
        'S' => substitution(rest, parts),
        'I' => after_arguments(rest),
        'C' | 'D' => special_member(rest, parts),
        'L' => rest.get(1..),
        'U' => lambda(rest, parts),
        _ => operator(rest, parts),
    }
}

/// `10tensorflow…`: the name and what follows.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let digits = text.find(|it: char| !it.is_ascii_digit())?;
    let (length, rest) = text.split_at(digits);
    let length: usize = length.parse().ok()?;
    Some((rest.get(..length)?, rest.get(length..)?))
}

/// `St` is `std`; the other abbreviations name a class of it or something that was said before.
fn substitution<'a>(rest: &'a str, parts: &mut Vec<String>) -> Option<&'a str> {
    let known = match rest.get(..2)? {
        "St" => "std",
        "Sa" => "std::allocator",
        "Sb" => "std::basic_string",
        "Ss" => "std::string",
        "Si" => "std::istream",
        "So" => "std::ostream",
        "Sd" => "std::iostream",
        _ => return None,
    };
    parts.push(known.to_owned());
    rest.get(2..)
}

fn special_member<'a>(rest: &'a str, parts: &mut Vec<String>) -> Option<&'a str> {
    let class = parts.last()?.clone();
    let is_destructor = rest.starts_with('D');
    let kind = rest.get(1..2)?;
    if !kind.starts_with(|kind: char| kind.is_ascii_digit()) {
        return None;
    }
    parts.push(if is_destructor {
        format!("~{class}")
    } else {
        class
    });
    rest.get(2..)
}

/// `UlvE_`, `UlvE0_`: a lambda.
fn lambda<'a>(rest: &'a str, parts: &mut Vec<String>) -> Option<&'a str> {
    parts.push("{lambda}".to_owned());
    let end = rest.find("E_").map(|at| at + 2);
    let numbered = || {
        let at = rest.find('E')?;
        Some(at + rest.get(at..)?.find('_')? + 1)
    };
    rest.get(end.or_else(numbered)?..)
}

/// Two letters for an operator.
fn operator<'a>(rest: &'a str, parts: &mut Vec<String>) -> Option<&'a str> {
    let name = match rest.get(..2)? {
        "cl" => "operator()",
        "ix" => "operator[]",
        "aS" => "operator=",
        "eq" => "operator==",
        "ne" => "operator!=",
        "lt" => "operator<",
        "ls" => "operator<<",
        "rs" => "operator>>",
        "pt" => "operator->",
        "de" => "operator*",
        "pl" => "operator+",
        "mi" => "operator-",
        "dl" => "operator delete",
        "nw" => "operator new",
        _ => return None,
    };
    parts.push(name.to_owned());
    rest.get(2..)
}

/// What follows template arguments, which begin with `I`. Letters that open something are counted against `E`.
fn after_arguments(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut rest = text;
    loop {
        let first = rest.chars().next()?;
        rest = match first {
            '0'..='9' => identifier(rest)?.1,
            'I' | 'N' | 'J' | 'F' | 'X' => {
                depth += 1;
                rest.get(1..)?
            }
            'E' => {
                depth -= 1;
                rest.get(1..)?
            }
            // A literal, whose digits are no length, or a lambda.
            'L' | 'U' => rest.get(rest.find('E')? + 1..)?,
            'S' if rest
                .get(1..2)?
                .starts_with(|it: char| it.is_ascii_lowercase()) =>
            {
                rest.get(2..)?
            }
            'S' | 'T' => rest.get(rest.find('_')? + 1..)?,
            _ => rest.get(first.len_utf8()..)?,
        };
        if depth == 0 {
            return Some(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_name_is_read() {
        for (mangled, name) in [
            ("cuInit", "cuInit"),
            (
                "_ZN10tensorflow6Tensor16CopyFromInternalERKS0_RKNS_11TensorShapeE",
                "tensorflow::Tensor::CopyFromInternal",
            ),
            (
                "_ZN10tensorflow6thread10ThreadPoolD1Ev",
                "tensorflow::thread::ThreadPool::~ThreadPool",
            ),
            ("_ZNSt8ios_base4InitC2Ev", "std::ios_base::Init::Init"),
            (
                "_ZN10tensorflow7functor9ApplyAdamIN5Eigen9GpuDeviceEfEclERKS3_",
                "tensorflow::functor::ApplyAdam::operator()",
            ),
            (
                "_ZNSt10_HashtableISsSsSaISsENSt8__detail9_IdentityESt8equal_toISsESt4hashISsEE21_M_insert_unique_nodeEmmPNS1_10_Hash_nodeISsLb1EEE",
                "std::_Hashtable::_M_insert_unique_node",
            ),
            (
                "_ZNK10tensorflow10OpRegistry21RegisterAlreadyLockedERKSt8functionIFNS_6StatusEPNS_18OpRegistrationDataEEE",
                "tensorflow::OpRegistry::RegisterAlreadyLocked",
            ),
            (
                "_Z22cudnnGenericOpTensorNdILi3EE13cudnnStatus_t",
                "cudnnGenericOpTensorNd",
            ),
            ("_ZN4", "_ZN4"),
            ("_ZN9999999999999999999999a", "_ZN9999999999999999999999a"),
        ] {
            assert_eq!(readable(mangled), name);
        }
    }
}
