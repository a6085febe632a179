//! Whether a text looks made by a machine, or is a word, a path or a number.

use super::MASK;

/// Shorter texts are too short to tell.
const SHORTEST: usize = 16;

/// Letters, digits and what base64, percent encoding and identifiers put between them, in disorder.
pub(super) fn is_opaque(value: &str) -> bool {
    let is_letter_of_code = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_.-~%".contains(&byte);
    value.len() >= SHORTEST
        && !is_path(value)
        && value.bytes().all(is_letter_of_code)
        && is_disordered(value)
}

/// Whether letters and digits follow each other as chance has it. Names made of words change only between words:
/// `layer_with_weights-0`, `StatefulPartitionedCall12`.
pub(super) fn is_disordered(value: &str) -> bool {
    /// Bits for each character. Words have more than this, too; what repeats itself has less.
    const LEAST_ENTROPY: f64 = 2.5;
    /// Chance changes the class of every second or third character.
    const MOST_BETWEEN_CHANGES: usize = 6;
    let class = |byte: u8| match byte {
        b'0'..=b'9' => Some(0),
        b'a'..=b'z' => Some(1),
        b'A'..=b'Z' => Some(2),
        _ => None,
    };
    let bytes = value.as_bytes();
    let changes = bytes
        .windows(2)
        .filter(|pair| match pair {
            // A capital letter is followed by small ones in a word, too.
            [a, b] => match (class(*a), class(*b)) {
                (Some(a), Some(b)) => a != b && (a, b) != (2, 1),
                _ => false,
            },
            _ => false,
        })
        .count();
    let letters = bytes
        .iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .count();
    changes > 0
        && changes * MOST_BETWEEN_CHANGES >= letters
        && bytes.iter().any(u8::is_ascii_digit)
        && bytes.iter().any(u8::is_ascii_alphabetic)
        && entropy(bytes) >= LEAST_ENTROPY
}

/// Shannon's entropy in bits for each byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let all = bytes.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / all;
            -share * share.log2()
        })
        .sum()
}

/// The secret half of a cloud account's key has no mark but its form: forty letters of base64 in disorder.
pub(super) fn is_cloud_key(text: &str) -> bool {
    const LENGTH: usize = 40;
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let bytes = text.as_bytes();
    let changes = bytes
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if class(*a) != class(*b)))
        .count();
    bytes.len() == LENGTH
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte))
        && !is_path(text)
        && bytes.iter().any(u8::is_ascii_digit)
        && bytes.iter().any(u8::is_ascii_uppercase)
        && bytes.iter().any(u8::is_ascii_lowercase)
        && changes * 3 >= LENGTH
}

/// Words that code prints as values of any option (`auth=None`, `use_password=True`), and what others have masked.
pub(super) fn is_plain_word(value: &str) -> bool {
    const PLAIN: &[&str] = &[
        "", "true", "false", "none", "null", "yes", "no", "on", "off", "0", "1", "nil", "redacted",
        "hidden", MASK,
    ];
    let is_in_brackets = value.starts_with(['<', '['])
        && value.ends_with(['>', ']'])
        && value.bytes().filter(u8::is_ascii_alphabetic).count() + 2 == value.len();
    PLAIN.iter().any(|plain| value.eq_ignore_ascii_case(plain))
        || value.bytes().all(|byte| byte == b'*')
        || is_in_brackets
}

pub(super) fn is_path(value: &str) -> bool {
    value.starts_with(['/', '.', '~'])
}

pub(super) fn is_number(value: &str) -> bool {
    value.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_from_names_of_things() {
        for code in [
            "3f2a9c81d4e5b6a7c8d9e0f1a2b3c4d5e6f7a8b9",
            "550e8400-e29b-41d4-a716-446655440000",
            "aZ3kP9xQ7mB2cD5v",
            "a%2Bb9Kd8%2FQ3xZ7w1V5%3D",
        ] {
            assert!(is_opaque(code), "{code}");
        }
        for name in [
            "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE",
            "StatefulPartitionedCallSequentialDense12",
            "tf-nightly-2.16.0.dev20240101",
            "model-2024-01-15-checkpoint",
            "/usr/lib/python3.11/site-packages",
            "0000000000000000000000000000000a",
            "123456789012345678901234",
            "short1",
        ] {
            assert!(!is_opaque(name), "{name}");
        }
    }
}
