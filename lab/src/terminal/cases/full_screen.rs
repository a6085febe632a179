//! Programs that take the whole screen.

use super::super::case::Step::{Gone, Press, See, Type};
use super::super::case::{CASE, Case, Need, Varies};

/// One process and no meters: what htop shows otherwise changes every second.
const HTOPRC: &str = "\
htop_version=3.2.2
config_reader_min_version=3
fields=0 48 1
delay=1000
header_layout=one_100
column_meters_0=Hostname
column_meter_modes_0=2
screen:Main=PID USER Command
";

/// In a file: a menu in the typed line would be on the screen before it is drawn.
const MENU: &str = "exec dialog --menu Choose 10 40 2 first One second Two\n";

const CURSES: &str = "\
import curses
def main(screen):
    curses.start_color(); curses.use_default_colors()
    curses.init_pair(1, curses.COLOR_RED, curses.COLOR_BLUE)
    screen.box()
    screen.addstr(2, 4, 'press keys', curses.color_pair(1) | curses.A_BOLD)
    for row in range(4, 20):
        key = screen.getkey()
        if key == 'q': return
        screen.addstr(row, 4, 'got ' + key)
curses.wrapper(main)
raise SystemExit(6)
";

pub const CASES: &[Case] = &[
    Case {
        name: "vim",
        shows: "editing and saving a file in `vim`",
        needs: &[Need::Program("vim")],
        files: &[("text", "one\ntwo\n")],
        command: "run vim text",
        steps: &[
            See("2L, 8B"),
            Type("o"),
            See("-- INSERT --"),
            Type("new line"),
            See("new line"),
            Press("Escape"),
            Gone("-- INSERT --"),
            Type(":wq\r"),
            See("2:0> "),
            Type("cat text\r"),
        ],
        ends: "3:0> ",
        ..CASE
    },
    Case {
        name: "vim -",
        shows: "`vim -` reads text from a pipe and keys from standard error",
        needs: &[Need::Program("vim")],
        files: &[("text", "one\ntwo\nthree\n")],
        command: "cat text | run vim -",
        steps: &[
            See("three\n~"),
            Type("G"),
            Type("ihello"),
            See("hellothree"),
            Press("Escape"),
            Gone("-- INSERT --"),
            Type(":q!\r"),
        ],
        ..CASE
    },
    Case {
        name: "nano",
        shows: "editing and saving a file in `nano`",
        needs: &[Need::Program("nano")],
        files: &[("text", "one\ntwo\n")],
        command: "run nano text",
        steps: &[
            See("Read 2 lines"),
            Type("new "),
            See("new one"),
            Press("C-x"),
            See("Save modified buffer?"),
            Type("y"),
            See("File Name to Write"),
            Press("Enter"),
            See("2:0> "),
            Type("cat text\r"),
        ],
        ends: "3:0> ",
        ..CASE
    },
    Case {
        name: "top",
        shows: "`top` draws its table and quits at a key; figures are not compared",
        needs: &[Need::Program("top")],
        command: "run top -d 1000 -p 1",
        steps: &[See("PID USER"), Type("q")],
        varies: Varies::Numbers,
        ..CASE
    },
    Case {
        name: "htop",
        shows: "`htop` with one process, colors and function keys",
        needs: &[Need::Program("htop")],
        files: &[(".config/htop/htoprc", HTOPRC)],
        command: "run htop -p 1",
        steps: &[
            See("F10"),
            Press("F1"),
            See("htop 3"),
            Type("q"),
            Gone("htop 3"),
            Type("q"),
        ],
        ..CASE
    },
    Case {
        name: "dialog",
        shows: "buttons of `dialog`; the answer is the exit status",
        needs: &[Need::Program("dialog")],
        command: "run dialog --yesno 'Continue?' 7 40",
        steps: &[See("< Yes >"), Press("Tab"), Press("Enter")],
        ends: "2:1> ",
        ..CASE
    },
    Case {
        name: "dialog menu",
        shows: "a menu of `dialog`, which writes the choice to standard error",
        needs: &[Need::Program("dialog")],
        files: &[("menu.sh", MENU)],
        command: "run sh menu.sh",
        steps: &[See("Two"), Press("Down"), Press("Enter")],
        ..CASE
    },
    Case {
        name: "curses in Python",
        shows: "a `curses` program with colors, a frame and arrow keys",
        needs: &[Need::Packages],
        files: &[("keys.py", CURSES)],
        command: "run python3 keys.py",
        steps: &[
            See("press"),
            Press("Up"),
            See("got KEY_UP"),
            Type("x"),
            See("got x"),
            Type("q"),
        ],
        ends: "2:6> ",
        ..CASE
    },
];
