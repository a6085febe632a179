//! What a recording keeps, and what of a damaged one is refused.

use std::time::Duration;

use proptest::prelude::*;

use super::*;

/// 4 KiB of counting bytes at 0x1000.
struct Page;

impl ReadMemory for Page {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        for (index, byte) in buffer.iter_mut().enumerate() {
            let here = address + index as u64;
            if !(0x1000..0x2000).contains(&here) {
                return Err(Unreadable { address: here });
            }
            *byte = here as u8;
        }
        Ok(())
    }
}

fn in_a_minute() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

proptest! {
    #[test]
    fn a_replay_reads_what_the_process_had(reads in prop::collection::vec((0xf00_u64..0x2100, 0_usize..200), 1..40)) {
        let recorder = Recorder::new(&Page, in_a_minute());
        let answers: Vec<_> = reads.iter().map(|(address, length)| {
            (&recorder as &dyn ReadMemory).bytes(*address, *length)
        }).collect();
        let memory = recorder.into_memory();
        for ((address, length), answer) in reads.iter().zip(answers) {
            if let (Ok(bytes), 1..) = (answer, *length) {
                prop_assert_eq!((&memory as &dyn ReadMemory).bytes(*address, *length), Ok(bytes));
            }
        }
    }

    #[test]
    fn a_damaged_recording_is_refused_and_nothing_worse(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Recording::decode(&bytes);
    }
}

#[test]
fn only_bytes_that_were_asked_for_are_kept() {
    let recorder = Recorder::new(&Page, in_a_minute());
    (&recorder as &dyn ReadMemory).u64(0x1010).unwrap();
    let memory = recorder.into_memory();
    assert_eq!(memory.bytes.len(), 8);
    assert!((&memory as &dyn ReadMemory).u8(0x1018).is_err());
}

#[test]
fn nothing_is_read_after_the_deadline() {
    let recorder = Recorder::new(&Page, Instant::now());
    let read = || (&recorder as &dyn ReadMemory).u8(0x1000);
    let refused = (0..=READS_PER_LOOK).any(|_| read().is_err());
    assert!(refused && recorder.is_expired() && read().is_err());
}

#[test]
fn a_description_that_would_fill_the_memory_is_refused() {
    let threads = |count: usize| {
        let thread = r#"{"id":1,"name":"","registers":null}"#;
        let snapshot = format!(
            r#"{{"pid":1,"threads":[{}],"crashed_thread":null,"maps":[]}}"#,
            vec![thread; count].join(",")
        );
        let answers = r#"{"symbols":{},"sections":{},"symtabs":{}}"#;
        let description = format!(
            r#"{{"snapshot":{snapshot},"answers":{answers},"names":{{}},"sources":{{}},"runs":[]}}"#
        );
        [
            &(description.len() as u64).to_le_bytes(),
            description.as_bytes(),
        ]
        .concat()
    };
    assert!(Recording::decode(&threads(3)).is_ok());
    assert!(Recording::decode(&threads(MAX_THREADS + 1)).is_err());
    let spaces = vec![b' '; MAX_DESCRIPTION + 1];
    let long = [&(spaces.len() as u64).to_le_bytes(), spaces.as_slice()].concat();
    assert!(matches!(
        Recording::decode(&long),
        Err(RecordingError::Damaged)
    ));
}
