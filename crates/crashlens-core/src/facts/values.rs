//! Questions about the values of Python variables.

use super::Facts;
use crate::capture::{Frame, Variable};
use crate::evidence::FactRef;

/// A variable and its place.
#[derive(Debug, Clone)]
pub struct LocalSight<'a> {
    /// The variable.
    pub variable: &'a Variable,
    /// Where it is.
    pub fact: FactRef,
}

impl<'a> Facts<'a> {
    /// Variables of the Python frames on the path of the crash, innermost frame first: those of the crashed thread, or
    /// of the thread that waits for it.
    pub fn locals(&self) -> impl Iterator<Item = LocalSight<'a>> + use<'a> {
        let waiting = self
            .capture()
            .threads
            .iter()
            .filter(|it| it.waits_for_crashed);
        let threads = self.crashed().into_iter().chain(waiting);
        threads.flat_map(move |thread| {
            thread
                .frames
                .iter()
                .enumerate()
                .filter_map(|(index, frame)| match frame {
                    Frame::Python(frame) => Some((index, &frame.locals)),
                    Frame::Native(_) => None,
                })
                .flat_map(move |(index, locals)| {
                    locals.iter().map(move |variable| LocalSight {
                        variable,
                        fact: FactRef::Local {
                            thread: thread.id,
                            index,
                            name: variable.name.clone(),
                        },
                    })
                })
        })
    }
}
