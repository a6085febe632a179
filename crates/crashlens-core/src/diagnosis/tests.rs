use proptest::prelude::*;

use super::*;
use crate::evidence::FactRef;

fn any_evidence() -> impl Strategy<Value = Evidence> {
    let weight = prop_oneof![
        Just(Weight::Weak),
        Just(Weight::Strong),
        Just(Weight::Decisive)
    ];
    (any::<bool>(), weight).prop_map(|(is_for, weight)| {
        if is_for {
            Evidence::supports(weight, FactRef::Ending, "for")
        } else {
            Evidence::opposes(weight, FactRef::Ending, "against")
        }
    })
}

proptest! {
    #[test]
    fn evidence_for_never_lowers_and_evidence_against_never_raises(
        evidence in prop::collection::vec(any_evidence(), 0..6),
        more in any_evidence(),
    ) {
        let before = weigh(&evidence);
        let mut all = evidence;
        let stance = more.stance;
        all.push(more);
        match stance {
            Stance::For => prop_assert!(weigh(&all) >= before),
            Stance::Against => prop_assert!(weigh(&all) <= before),
        }
    }

    #[test]
    fn the_order_of_evidence_does_not_matter(
        evidence in prop::collection::vec(any_evidence(), 0..6),
        seed in any::<usize>(),
    ) {
        let mut turned = evidence.clone();
        if !turned.is_empty() {
            let by = seed % turned.len();
            turned.rotate_left(by);
        }
        prop_assert_eq!(weigh(&evidence), weigh(&turned));
    }
}

#[test]
fn nothing_for_it_is_no_finding() {
    assert_eq!(weigh(&[]), None);
    let against = Evidence::opposes(Weight::Weak, FactRef::Ending, "against");
    assert_eq!(weigh(&[against]), None);
}
