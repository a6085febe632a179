//! The report inside a page of HTML: how it stands there, and how it is read back.

use super::{Report, SCHEMA};

/// Maximum size of a page that is read, in bytes. Text of this size may take ten times the memory once it is read.
pub const MAX_PAGE: u64 = 16 << 20;

/// The attribute by which the element with the report is found. Quotes in other text of a page are escaped, so it
/// occurs nowhere else.
const MARK: &str = "id=\"crashlens-report\"";
/// The element of the page's head by which a page is known.
const GENERATOR: &str = "<meta name=\"generator\" content=\"crashlens\">";
/// It is near the beginning, also of a page that a browser has saved again.
const WITHIN: usize = 2048;

/// Why a page cannot be read back.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// There is no report in it.
    #[error("the page holds no report")]
    NoReport,
    /// The report in it has no end.
    #[error("the page is truncated: the report in it has no end")]
    Truncated,
    /// Made by a newer crashlens.
    #[error("the report in the page has a form that this crashlens does not know")]
    Newer,
    /// It was changed, or something else is in its place.
    #[error("the report in the page cannot be read")]
    Damaged(#[source] serde_json::Error),
}

/// What the head of a page has so that it is known again.
pub fn generator() -> &'static str {
    GENERATOR
}

/// The element that holds a report, given as JSON. No browser runs it, and nothing in it can end it early.
pub fn element(json: &str) -> String {
    let json = json.replace('<', "\\u003c");
    format!("<script type=\"application/json\" {MARK}>{json}</script>")
}

/// Whether a file that begins with these bytes is a page with a report.
pub fn looks_like(opening: &[u8]) -> bool {
    let opening = opening.strip_prefix(b"\xef\xbb\xbf").unwrap_or(opening);
    let opening = opening.trim_ascii_start();
    let doctype = b"<!doctype html";
    let is_html = opening
        .get(..doctype.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(doctype));
    let head = opening.get(..WITHIN).unwrap_or(opening);
    is_html && find(head, GENERATOR.as_bytes()).is_some()
}

/// The report in a page.
pub fn read(page: &[u8]) -> Result<Report, PageError> {
    let mark = find(page, MARK.as_bytes()).ok_or(PageError::NoReport)?;
    let rest = page.get(mark + MARK.len()..).unwrap_or_default();
    let start = find(rest, b">").ok_or(PageError::Truncated)?;
    let rest = rest.get(start + 1..).unwrap_or_default();
    let end = find(rest, b"</").ok_or(PageError::Truncated)?;
    let json = rest.get(..end).unwrap_or_default();
    let report: Report = serde_json::from_slice(json).map_err(|error| {
        if is_newer(json) {
            PageError::Newer
        } else {
            PageError::Damaged(error)
        }
    })?;
    if report.schema == SCHEMA {
        Ok(report)
    } else {
        Err(PageError::Newer)
    }
}

/// Whether it says itself that it is of another form.
fn is_newer(json: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Named {
        schema: String,
    }
    serde_json::from_slice::<Named>(json).is_ok_and(|named| named.schema != SCHEMA)
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, wanted)
}

#[cfg(test)]
mod tests {
    use super::super::Run;
    use super::*;

    fn page(json: &str) -> String {
        format!(
            "<!DOCTYPE html><html><head>{GENERATOR}</head><body>{}</body></html>",
            element(json)
        )
    }

    fn report() -> Report {
        let run = Run {
            argv: vec!["</script><script>alert(1)</script><!--".to_owned()],
            duration_seconds: Some(0.1 + 0.2),
            ..Run::default()
        };
        Report::of_deaths(run, Vec::new())
    }

    #[test]
    fn a_report_comes_back_and_nothing_in_it_ends_its_element() {
        let page = page(&serde_json::to_string(&report()).unwrap());
        assert!(looks_like(page.as_bytes()));
        assert_eq!(page.matches("</script").count(), 1);
        assert_eq!(read(page.as_bytes()).unwrap(), report());
    }

    #[test]
    fn every_truncated_page_says_so() {
        let page = page(&serde_json::to_string(&report()).unwrap());
        let whole = page.find("</script>").unwrap() + 2;
        for length in 0..whole {
            let error = read(&page.as_bytes()[..length]).unwrap_err();
            assert!(
                matches!(error, PageError::NoReport | PageError::Truncated),
                "{length}: {error}"
            );
        }
    }

    #[test]
    fn a_page_that_was_edited_or_is_newer_is_refused() {
        let json = serde_json::to_string(&report()).unwrap();
        let edited = page(&json.replace("\"deaths\":[]", "\"deaths\":7"));
        assert!(matches!(
            read(edited.as_bytes()),
            Err(PageError::Damaged(_))
        ));
        for form in [
            "{\"schema\":\"crashlens.report/2\"}",
            &json.replace("report/1", "report/2"),
        ] {
            assert!(matches!(read(page(form).as_bytes()), Err(PageError::Newer)));
        }
        assert!(matches!(
            read(page("[[[[").as_bytes()),
            Err(PageError::Damaged(_))
        ));
    }

    #[test]
    fn other_pages_are_not_taken_for_reports() {
        assert!(!looks_like(
            b"<!doctype html><title>Segmentation fault</title>"
        ));
        assert!(!looks_like(GENERATOR.as_bytes()));
    }
}
