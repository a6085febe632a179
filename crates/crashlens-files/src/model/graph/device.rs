//! The places that nodes are to run at: `/job:worker/task:1/device:GPU:0`.

/// Types that may stand without `device:`.
const TYPES: [&str; 8] = [
    "CPU",
    "GPU",
    "TPU",
    "CUSTOM",
    "EPU",
    "TPU_SYSTEM",
    "XLA_CPU",
    "XLA_GPU",
];

/// Whether TensorFlow can read it; the types of devices are for the runtime.
pub(in crate::model) fn is_valid(place: &str) -> bool {
    place.split('/').all(|part| {
        let words: Vec<&str> = part.split(':').collect();
        let is_number = |text: &str| text == "*" || text.trim().parse::<i64>().is_ok();
        match words.as_slice() {
            [""] | ["job", _] | ["", ..] => true,
            ["replica" | "task", number] | ["device", _, number] => is_number(number),
            [of] => is_type(of),
            [of, number] => is_type(of) && is_number(number),
            _ => false,
        }
    })
}

fn is_type(word: &str) -> bool {
    TYPES.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_from_damaged_ones() {
        for good in [
            "",
            "/device:CPU:0",
            "/job:a/replica:0/task:0/device:GPU:*",
            "cpu:0",
            "/gpu:1",
            "/CPU",
        ] {
            assert!(is_valid(good), "{good}");
        }
        for bad in ["/dev)ce:CPU:0", "xyz", "/task:x", "/device:CPU"] {
            assert!(!is_valid(bad), "{bad}");
        }
    }
}
