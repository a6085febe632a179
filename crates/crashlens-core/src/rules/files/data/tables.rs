//! What to do about a table of text: it can be mended in an editor, as no image can.

use crate::files::{FileFacts, Flaw, FlawKind, Format, Part};

/// Where it is one.
pub(super) fn remedy(facts: &FileFacts, flaw: &Flaw) -> Option<&'static str> {
    if facts.format != Some(Format::Csv) {
        return None;
    }
    Some(match (flaw.part.id, flaw.kind) {
        (Part::Encoding, FlawKind::Unsupported) => {
            "Write it anew as UTF-8: `iconv -f UTF-16 -t UTF-8`."
        }
        (Part::Encoding, _) => {
            "Write it anew as UTF-8: `iconv -f LATIN1 -t UTF-8`, if Latin-1 is what it is."
        }
        (Part::LineEnds, _) => "Let rows end with a line feed: `tr '\\r' '\\n'`.",
        (Part::Separator, _) => {
            "Tell the reader with `field_delim`, and write numbers with decimal points."
        }
        (Part::ByteOrderMark | Part::FirstField, _) => {
            "Write it anew without a byte order mark: `utf-8`, not `utf-8-sig`, in Python."
        }
        (Part::ColumnNames, _) => "Give every column a name of its own.",
        (Part::Heading, _) => "Let the heading name every column, each once.",
        (_, FlawKind::Contradiction | FlawKind::Malformed) => {
            "Look at the row, and mend it or take it out, or tell the type of the column (`column_defaults`); if there are many, make the file again from its source."
        }
        _ => return None,
    })
}
