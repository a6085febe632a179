use super::*;
use crate::python::offsets;

const BASE: u64 = 0x10000;

struct Bytes(Vec<u8>);

impl ReadMemory for Bytes {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let start = usize::try_from(address - BASE).unwrap();
        let bytes = self.0.get(start..start + buffer.len());
        buffer.copy_from_slice(bytes.ok_or(Unreadable { address })?);
        Ok(())
    }
}

fn text(
    words: &[u64],
    version: (u8, u8),
    python2: Option<Python2Unicode>,
) -> Result<String, Unreadable> {
    let memory = Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let offsets = offsets::table(version).unwrap();
    let texts = TextReader {
        memory: &memory,
        offsets: offsets.text,
        python2,
    };
    texts.text(BASE)
}

#[test]
fn python_2_unicode_is_read_by_the_width_of_its_build() {
    let unicode = |character_size| {
        Some(Python2Unicode {
            unicode_type: 0xabc0,
            character_size,
        })
    };
    let utf16 = [1, 0xabc0, 3, BASE + 32, 0xde00_d83d_00e9];
    assert_eq!(text(&utf16, (2, 7), unicode(2)).as_deref(), Ok("é😀"));
    let utf32 = [1, 0xabc0, 2, BASE + 32, 0x0001_f600_0000_00e9];
    assert_eq!(text(&utf32, (2, 7), unicode(4)).as_deref(), Ok("é😀"));
}

#[test]
fn a_python_2_byte_string_is_not_taken_for_unicode() {
    let unicode = Some(Python2Unicode {
        unicode_type: 0xabc0,
        character_size: 4,
    });
    let string = [
        1,
        0xdef0,
        2,
        0,
        u64::from(u32::from_le_bytes(*b"ab\0\0")) << 32,
    ];
    assert_eq!(text(&string, (2, 7), unicode).as_deref(), Ok("ab"));
}

#[test]
fn a_long_string_is_cut_and_an_absurd_one_refused() {
    let ascii = 1 << 2 | 1 << 5 | 1 << 6;
    let mut long = vec![1, 0xabc0, 5000, 0, ascii, 0];
    long.extend([u64::from_le_bytes([b'x'; 8]); 640]);
    let read = text(&long, (3, 8), None).unwrap();
    assert_eq!(
        (read.chars().count(), read.chars().last()),
        (4097, Some('…'))
    );
    long[2] = u64::MAX;
    assert!(text(&long, (3, 8), None).is_err());
}
