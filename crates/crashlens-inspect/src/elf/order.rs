//! Sorting by numbers that are spread evenly.

/// Entries for each group, on average: so few are sorted by inserting one after the other.
const GROUP: usize = 8;

/// The entries in their order, which has to be that of the numbers. Where these are spread evenly, as hashes are, their first
/// bits put each entry into a group of a few. TensorFlow has a quarter of a million of symbols, and sorting them took as
/// long as reading their names.
pub(super) fn by_number<T: Copy + Ord>(entries: Vec<T>, number: impl Fn(&T) -> u64) -> Vec<T> {
    let bits = (entries.len() / GROUP).checked_ilog2().unwrap_or(0);
    let Some(first) = entries.first().copied().filter(|_| bits > 0) else {
        let mut entries = entries;
        entries.sort_unstable();
        return entries;
    };
    let group = |entry: &T| (number(entry) >> (u64::BITS - bits)) as usize;
    let mut ends = vec![0_usize; 1 << bits];
    for entry in &entries {
        ends[group(entry)] += 1;
    }
    let mut end = 0;
    for count in &mut ends {
        end += *count;
        *count = end;
    }
    // From the last place of each group to its first.
    let mut sorted = vec![first; entries.len()];
    let mut places = ends.clone();
    for entry in &entries {
        let place = &mut places[group(entry)];
        *place -= 1;
        sorted[*place] = *entry;
    }
    for (start, end) in places.into_iter().zip(ends) {
        sorted[start..end].sort_unstable();
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_order_however_their_numbers_are_spread() {
        let spread: fn(u64) -> u64 = |number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let crowded: fn(u64) -> u64 = |number| number % 7;
        for count in [0, 1, 15, 16, 1000] {
            for hash in [spread, crowded] {
                let entries: Vec<u64> = (0..count).map(hash).collect();
                let mut expected = entries.clone();
                expected.sort_unstable();
                assert_eq!(by_number(entries, |entry| *entry), expected);
            }
        }
    }
}
