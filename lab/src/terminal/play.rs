//! One case in both terminals at the same time, step by step.
//!
//! Both programs get their keys at the same moment, and a step is done when the screens are the same and show what
//! the step waits for. So neither a slow machine nor a screen that is half drawn makes a difference: only one that
//! stays does.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::case::{Case, Step};
use super::room::Room;
use super::screen::{Screen, differences, without_report};
use super::tmux::{SIDES, Server};

/// Between two looks at the screens.
const PAUSE: Duration = Duration::from_millis(30);

pub enum Outcome {
    Same,
    /// What was waited for, and the lines that differ.
    Differs(String),
}

pub fn play(case: &Case, room: &Room, patience: Duration) -> Result<Outcome> {
    let scratch = tempfile::Builder::new().prefix("t").tempdir()?;
    room.furnish(scratch.path(), case)?;
    let stage = Stage {
        server: Server::start(scratch.path(), room)?,
        folder: scratch.path().to_string_lossy().into_owned(),
        case,
        patience,
    };
    let script = case.script();
    for (number, step) in script.iter().enumerate() {
        let next = script.get(number + 1);
        if let Some(Step::See(text)) = next
            && !matches!(step, Step::See(_) | Step::Gone(_))
        {
            // Otherwise the step after this one would wait for nothing.
            let is_there = stage.screens()?.iter().any(|it| it.shows(text));
            ensure!(
                !is_there,
                "{}: {text:?} is there before {step:?}",
                case.name
            );
        }
        if let Some(difference) = stage.act(*step)? {
            return Ok(Outcome::Differs(difference));
        }
    }
    Ok(Outcome::Same)
}

struct Stage<'a> {
    server: Server,
    folder: String,
    case: &'a Case,
    patience: Duration,
}

impl Stage<'_> {
    fn act(&self, step: Step) -> Result<Option<String>> {
        match step {
            Step::See(text) => {
                return self.wait(step, |screen| screen.shows(text));
            }
            Step::Gone(text) => {
                return self.wait(step, |screen| !screen.shows(text));
            }
            Step::Type(text) => both(|side| self.server.type_text(side, text))?,
            Step::Press(key) => both(|side| self.server.press(side, key))?,
            Step::Resize(columns, lines) => {
                both(|side| self.server.resize(side, columns, lines))?;
            }
        }
        Ok(None)
    }

    /// Waits until both screens are as wanted and the same in two looks, or gives what still differs in the end.
    fn wait(&self, step: Step, is_wanted: impl Fn(&Screen) -> bool) -> Result<Option<String>> {
        let deadline = Instant::now() + self.patience;
        let mut before = None;
        loop {
            let screens = self.screens()?;
            let wanted = [&screens[0], &screens[1]].map(&is_wanted);
            if wanted == [true, true] && screens[0].text == screens[1].text {
                if before.as_ref() == Some(&screens) {
                    return Ok(None);
                }
            } else if Instant::now() > deadline {
                let lacking = SIDES.iter().zip(wanted).filter(|(_, wanted)| !wanted);
                let lacking: Vec<_> = lacking.map(|(side, _)| *side).collect();
                let lacking = match lacking.as_slice() {
                    [] => "the screens differ".to_owned(),
                    some => format!("in vain: {}", some.join(", ")),
                };
                let lines = differences([&screens[0].text, &screens[1].text]);
                return Ok(Some(format!("{step:?}: {lacking}\n{lines}")));
            }
            before = Some(screens);
            sleep(PAUSE);
        }
    }

    fn screens(&self) -> Result<[Screen; 2]> {
        let look = |side: &str| -> Result<Screen> {
            let captured = match self.case.report_until {
                // A report is longer than a screen: what is above it is part of the comparison.
                Some(until) => without_report(&self.server.history(side)?, until),
                None => self.server.screen(side)?,
            };
            let screen = Screen::new(&captured, &self.folder, side, self.case);
            if let Some(hidden) = self.case.hidden {
                let shown = screen.shows(hidden);
                ensure!(
                    !shown,
                    "{}: the terminal of {side} shows what is hidden",
                    self.case.name
                );
            }
            Ok(screen)
        };
        Ok([look(SIDES[0])?, look(SIDES[1])?])
    }
}

fn both(act: impl Fn(&str) -> Result<()>) -> Result<()> {
    SIDES.iter().try_for_each(|side| act(side))
}
