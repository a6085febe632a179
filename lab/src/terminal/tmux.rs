//! A tmux server of our own with two terminals, and what is on their screens.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::room::Room;
use crate::command;

/// The two terminals, by the names of their sessions. The names are equally long, as are the folders that
/// have them, so that lines with a path in them break at the same column.
pub const SIDES: [&str; 2] = ["bare", "lens"];

/// Where programs are looked up: the same on every machine, whatever the search path of the caller is.
pub const SEARCH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

pub struct Server {
    socket: PathBuf,
}

impl Server {
    /// Starts a shell in both terminals, each in its folder.
    pub fn start(folder: &Path, room: &Room) -> Result<Self> {
        let server = Self {
            socket: folder.join("tmux"),
        };
        let options = [
            "start-server ; set-option -g status off",
            "set-option -g default-terminal screen-256color",
            "set-option -g history-limit 2000",
        ];
        let mut start = server.command();
        for word in options.join(" ; ").split_whitespace() {
            start.arg(word);
        }
        for side in SIDES {
            start
                .args([";", "new-session", "-d", "-x", "80", "-y", "24", "-s", side])
                .arg("-c")
                .arg(folder.join(side));
            start.args(["env", "-i"]);
            for (name, value) in surroundings(&folder.join(side), room) {
                start.arg(format!("{name}={value}"));
            }
            start.args(["bash", "--norc", "--noprofile"]);
        }
        command::succeed(&mut start)?;
        Ok(server)
    }

    /// tmux with nothing of the caller's: another server is not asked, dotfiles are not read, and text is UTF-8.
    fn command(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.env_clear()
            .env("PATH", SEARCH)
            .env("LANG", "C.UTF-8")
            .args(["-u", "-f", "/dev/null", "-S"])
            .arg(&self.socket)
            .stdin(Stdio::null());
        tmux
    }

    pub fn type_text(&self, side: &str, text: &str) -> Result<()> {
        let target = format!("{side}:");
        // `--`, because text may begin with a hyphen; a semicolon at the end of a word would end the command of tmux.
        let text = match text.strip_suffix(';') {
            Some(before) => format!("{before}\\;"),
            None => text.to_owned(),
        };
        command::succeed(
            self.command()
                .args(["send-keys", "-t", &target, "-l", "--", &text]),
        )
    }

    pub fn press(&self, side: &str, key: &str) -> Result<()> {
        let target = format!("{side}:");
        command::succeed(self.command().args(["send-keys", "-t", &target, key]))
    }

    pub fn resize(&self, side: &str, columns: u16, lines: u16) -> Result<()> {
        let target = format!("{side}:");
        let (columns, lines) = (columns.to_string(), lines.to_string());
        command::succeed(self.command().args([
            "resize-window",
            "-t",
            &target,
            "-x",
            &columns,
            "-y",
            &lines,
        ]))
    }

    /// The screen with its colors, and a last line about the cursor and the alternate screen, which pagers and editors use.
    pub fn screen(&self, side: &str) -> Result<String> {
        let target = format!("{side}:");
        let state = "#{cursor_x},#{cursor_y} cursor=#{cursor_flag} alternate=#{alternate_on}";
        let mut show = self.command();
        show.args(["capture-pane", "-p", "-e", "-N", "-t", &target, ";"])
            .args(["display-message", "-p", "-t", &target, state]);
        command::output(&mut show).context("a terminal is gone")
    }

    /// All that was written, without colors, also what is above the screen by now.
    pub fn history(&self, side: &str) -> Result<String> {
        let target = format!("{side}:");
        let mut show = self.command();
        show.args(["capture-pane", "-p", "-S", "-", "-t", &target]);
        command::output(&mut show).context("a terminal is gone")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have ended with its last shell.
        let _ = self
            .command()
            .arg("kill-server")
            .stderr(Stdio::null())
            .status();
    }
}

/// All environment variables of a shell.
fn surroundings(folder: &Path, room: &Room) -> Vec<(&'static str, String)> {
    let mut path = vec![folder.with_extension("bin").to_string_lossy().into_owned()];
    path.extend(room.python_folder());
    path.push(SEARCH.to_owned());
    vec![
        ("PATH", path.join(":")),
        ("HOME", folder.to_string_lossy().into_owned()),
        ("TERM", "screen-256color".to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("PS1", "\\#:$?> ".to_owned()),
        ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
    ]
}
