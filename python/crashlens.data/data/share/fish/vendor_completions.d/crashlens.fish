# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_crashlens_global_optspecs
    string join \n h/help V/version
end

function __fish_crashlens_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_crashlens_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_crashlens_using_subcommand
    set -l cmd (__fish_crashlens_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c crashlens -n "__fish_crashlens_needs_command" -s h -l help -d 'Print help'
complete -c crashlens -n "__fish_crashlens_needs_command" -s V -l version -d 'Print version'
complete -c crashlens -n "__fish_crashlens_needs_command" -f -a "run" -d 'Run a program and report any native death in its process tree'
complete -c crashlens -n "__fish_crashlens_needs_command" -f -a "attach" -d 'Watch a running process and everything below it'
complete -c crashlens -n "__fish_crashlens_needs_command" -f -a "diagnose" -d 'Report on a core file, on a capture that `run` has saved, on a report as HTML, or on text that tells of a death'
complete -c crashlens -n "__fish_crashlens_needs_command" -f -a "check" -d 'Tell what will crash or fail before it does'
complete -c crashlens -n "__fish_crashlens_needs_command" -f -a "rules" -d 'Show the rules by which causes are told and environments are checked, or the page of one'
complete -c crashlens -n "__fish_crashlens_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c crashlens -n "__fish_crashlens_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -l save -d 'Save the capture of a death to this file; further deaths get `.2`, `.3`…' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -l hang-after -d 'Report all stacks when the program makes no progress for so long: 90s, 10m, 2h' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -l on-death -d 'Run this shell command at every death, before the dead process is gone' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -l format -d 'Form of the report; that of `json` is in schema/report.v1.json' -r -f -a "text\t'For people'
json\t'For programs: one document'
md\t'For an issue or a chat: Markdown, home folder and user name masked'
html\t'To look at and to pass on: one page without scripts, which `diagnose` reads back'"
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -s o -l output -d 'Write the report to this file instead; with `run` it is renewed at every death' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -l no-save -d 'Do not save captures'
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -l no-locals -d 'Do not read the values of Python variables'
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -l no-check -d 'Do not look at the environment after a death'
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -l no-tail -d 'Leave standard error alone: do not keep its last lines for the report'
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -l tail-terminal -d 'Keep the last lines of standard error also where it is a terminal'
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -s q -l quiet -d 'Only say what happened, where, why, and what to do first'
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -s v -l verbose -d 'Show every frame, thread and gap in full'
complete -c crashlens -n "__fish_crashlens_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l report-fd -d 'With `--detach`: write reports to this descriptor of the process' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l save -d 'Save the capture of a death to this file; further deaths get `.2`, `.3`…' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l hang-after -d 'Report all stacks when the program makes no progress for so long: 90s, 10m, 2h' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l on-death -d 'Run this shell command at every death, before the dead process is gone' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l format -d 'Form of the report; that of `json` is in schema/report.v1.json' -r -f -a "text\t'For people'
json\t'For programs: one document'
md\t'For an issue or a chat: Markdown, home folder and user name masked'
html\t'To look at and to pass on: one page without scripts, which `diagnose` reads back'"
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -s o -l output -d 'Write the report to this file instead; with `run` it is renewed at every death' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l now -d 'Print the stacks of all threads once and let the process go; for a program that hangs'
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l detach -d 'Return as soon as the process is watched, and go on in the background until it ends'
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l ask -d 'With `--detach`: print the number of the process that will watch, and wait for a line on standard input'
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l no-save -d 'Do not save captures'
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l no-locals -d 'Do not read the values of Python variables'
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -l no-check -d 'Do not look at the environment after a death'
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -s q -l quiet -d 'Only say what happened, where, why, and what to do first'
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -s v -l verbose -d 'Show every frame, thread and gap in full'
complete -c crashlens -n "__fish_crashlens_using_subcommand attach" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crashlens -n "__fish_crashlens_using_subcommand diagnose" -l advisories -d 'Also hold the death against these advisories, in the OSV format; may be given several times' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand diagnose" -l format -d 'Form of the report; that of `json` is in schema/report.v1.json' -r -f -a "text\t'For people'
json\t'For programs: one document'
md\t'For an issue or a chat: Markdown, home folder and user name masked'
html\t'To look at and to pass on: one page without scripts, which `diagnose` reads back'"
complete -c crashlens -n "__fish_crashlens_using_subcommand diagnose" -s o -l output -d 'Write the report to this file instead; with `run` it is renewed at every death' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand diagnose" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c crashlens -n "__fish_crashlens_using_subcommand diagnose" -l open -d 'Write the report as HTML, and open it in a browser'
complete -c crashlens -n "__fish_crashlens_using_subcommand diagnose" -l no-locals -d 'Do not read the values of Python variables'
complete -c crashlens -n "__fish_crashlens_using_subcommand diagnose" -s q -l quiet -d 'Only say what happened, where, why, and what to do first'
complete -c crashlens -n "__fish_crashlens_using_subcommand diagnose" -s v -l verbose -d 'Show every frame, thread and gap in full'
complete -c crashlens -n "__fish_crashlens_using_subcommand diagnose" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -l python -d 'The interpreter, or the folder of its environment' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -l save -d 'Also save what was read of the environment, secrets masked, for `--from`' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -l from -d 'Judge what `--save` has saved, here or elsewhere, instead of this machine' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -l fail-on -d 'Least severity that makes the exit status 1' -r -f -a "will-fail\t'What fails for whoever uses it'
can-crash\t'Also what crashes under conditions, or gives wrong results'
worth-knowing\t'Also what matters only when something else goes wrong'
never\t'Nothing: always 0'"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -l format -d 'Form of the report; that of `json` is in schema/report.v1.json' -r -f -a "text\t'For people'
json\t'For programs: one document'
jsonl\t'For programs that share work out: a line of JSON for each file, and behind them what is known of all'
sarif\t'For code scanning: SARIF 2.1.0'
junit\t'For CI servers: JUnit XML, a test case for each check'
md\t'For an issue or a chat: Markdown, home folder and user name masked'
html\t'To look at and to pass on: one page without scripts, which `diagnose` reads back'"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -s o -l output -d 'Write the report to this file instead' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -l verify -d 'Compare the content of installed files with the lists of their packages, not only their sizes'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -l no-cache -d 'Read every native file anew, and keep nothing for the next time'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -s q -l quiet -d 'Only say what was found and what to do first'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -s v -l verbose -d 'Show everything that was found in full, and every check that was made'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -f -a "env" -d 'Check a Python environment and the machine: packages, native files, loader, processor, limits, GPU libraries'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -f -a "data" -d 'Check training files: damage that TensorFlow crashes on, hangs on, refuses, or reads as wrong values without a word'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and not __fish_seen_subcommand_from env data model" -f -a "model" -d 'Check models, checkpoints and weights before anything loads them'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -l python -d 'The interpreter, or the folder of its environment' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -l save -d 'Also save what was read of the environment, secrets masked, for `--from`' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -l from -d 'Judge what `--save` has saved, here or elsewhere, instead of this machine' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -l fail-on -d 'Least severity that makes the exit status 1' -r -f -a "will-fail\t'What fails for whoever uses it'
can-crash\t'Also what crashes under conditions, or gives wrong results'
worth-knowing\t'Also what matters only when something else goes wrong'
never\t'Nothing: always 0'"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -l format -d 'Form of the report; that of `json` is in schema/report.v1.json' -r -f -a "text\t'For people'
json\t'For programs: one document'
jsonl\t'For programs that share work out: a line of JSON for each file, and behind them what is known of all'
sarif\t'For code scanning: SARIF 2.1.0'
junit\t'For CI servers: JUnit XML, a test case for each check'
md\t'For an issue or a chat: Markdown, home folder and user name masked'
html\t'To look at and to pass on: one page without scripts, which `diagnose` reads back'"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -s o -l output -d 'Write the report to this file instead' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -l verify -d 'Compare the content of installed files with the lists of their packages, not only their sizes'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -l no-cache -d 'Read every native file anew, and keep nothing for the next time'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -s q -l quiet -d 'Only say what was found and what to do first'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -s v -l verbose -d 'Show everything that was found in full, and every check that was made'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from env" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l files-from -d 'Also check the files that are listed in this file, a path on each line; `-` reads standard input' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l against -d 'Check for this environment: its interpreter or folder, or the id of a running process' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l manifest -d 'Write hashes of all files here; if it is there already, go on with it or compare with it' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l quarantine -d 'Write the paths of files with findings at or above --fail-on to this file, one on each line' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -s j -l jobs -d 'Threads that read; by default one for each core, and at least 8 for object storage' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l max-pixels -d 'Pixels of an image above which it is not decoded, in millions' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l max-unpacked -d 'Gigabytes above which compressed parts are not unpacked' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l timeout -d 'Time for one file' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l labels -d 'The feature, array or column that holds the labels; by default those of a usual name, such as `label` or `y`' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l classes -d 'How many classes there are: labels are to be from 0 to one less' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l watch -d 'Look at every file once more so long after the scan, for those that change' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l move-to -d 'Move files with findings at or above --fail-on into this folder' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l fail-on -d 'Least severity that makes the exit status 1' -r -f -a "will-fail\t'What fails for whoever uses it'
can-crash\t'Also what crashes under conditions, or gives wrong results'
worth-knowing\t'Also what matters only when something else goes wrong'
never\t'Nothing: always 0'"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l format -d 'Form of the report; that of `json` is in schema/report.v1.json' -r -f -a "text\t'For people'
json\t'For programs: one document'
jsonl\t'For programs that share work out: a line of JSON for each file, and behind them what is known of all'
sarif\t'For code scanning: SARIF 2.1.0'
junit\t'For CI servers: JUnit XML, a test case for each check'
md\t'For an issue or a chat: Markdown, home folder and user name masked'
html\t'To look at and to pass on: one page without scripts, which `diagnose` reads back'"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -s o -l output -d 'Write the report to this file instead' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -s 0 -l null -d 'Paths in --files-from and --quarantine end with a zero byte instead of a line\'s end, as with `find -print0` and `xargs -0`: names may hold line ends'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -l full -d 'Decode everything and look at every value, not only structure and checksums'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -s q -l quiet -d 'Only say what was found and what to do first'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -s v -l verbose -d 'Show everything that was found in full, and every check that was made'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from data" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l files-from -d 'Also check the files that are listed in this file, a path on each line; `-` reads standard input' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l against -d 'Check for this environment: its interpreter or folder, or the id of a running process' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l manifest -d 'Write hashes of all files here; if it is there already, go on with it or compare with it' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l quarantine -d 'Write the paths of files with findings at or above --fail-on to this file, one on each line' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -s j -l jobs -d 'Threads that read; by default one for each core, and at least 8 for object storage' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l max-pixels -d 'Pixels of an image above which it is not decoded, in millions' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l max-unpacked -d 'Gigabytes above which compressed parts are not unpacked' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l timeout -d 'Time for one file' -r
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l fail-on -d 'Least severity that makes the exit status 1' -r -f -a "will-fail\t'What fails for whoever uses it'
can-crash\t'Also what crashes under conditions, or gives wrong results'
worth-knowing\t'Also what matters only when something else goes wrong'
never\t'Nothing: always 0'"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l format -d 'Form of the report; that of `json` is in schema/report.v1.json' -r -f -a "text\t'For people'
json\t'For programs: one document'
jsonl\t'For programs that share work out: a line of JSON for each file, and behind them what is known of all'
sarif\t'For code scanning: SARIF 2.1.0'
junit\t'For CI servers: JUnit XML, a test case for each check'
md\t'For an issue or a chat: Markdown, home folder and user name masked'
html\t'To look at and to pass on: one page without scripts, which `diagnose` reads back'"
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -s o -l output -d 'Write the report to this file instead' -r -F
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -s 0 -l null -d 'Paths in --files-from and --quarantine end with a zero byte instead of a line\'s end, as with `find -print0` and `xargs -0`: names may hold line ends'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -l full -d 'Decode everything and look at every value, not only structure and checksums'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -s q -l quiet -d 'Only say what was found and what to do first'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -s v -l verbose -d 'Show everything that was found in full, and every check that was made'
complete -c crashlens -n "__fish_crashlens_using_subcommand check; and __fish_seen_subcommand_from model" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crashlens -n "__fish_crashlens_using_subcommand rules" -l format -d 'Form of the answer' -r -f -a "text\t'For people'
json\t'For programs: one document'"
complete -c crashlens -n "__fish_crashlens_using_subcommand rules" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c crashlens -n "__fish_crashlens_using_subcommand rules" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crashlens -n "__fish_crashlens_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crashlens -n "__fish_crashlens_using_subcommand help; and not __fish_seen_subcommand_from run attach diagnose check rules completions help" -f -a "run" -d 'Run a program and report any native death in its process tree'
complete -c crashlens -n "__fish_crashlens_using_subcommand help; and not __fish_seen_subcommand_from run attach diagnose check rules completions help" -f -a "attach" -d 'Watch a running process and everything below it'
complete -c crashlens -n "__fish_crashlens_using_subcommand help; and not __fish_seen_subcommand_from run attach diagnose check rules completions help" -f -a "diagnose" -d 'Report on a core file, on a capture that `run` has saved, on a report as HTML, or on text that tells of a death'
complete -c crashlens -n "__fish_crashlens_using_subcommand help; and not __fish_seen_subcommand_from run attach diagnose check rules completions help" -f -a "check" -d 'Tell what will crash or fail before it does'
complete -c crashlens -n "__fish_crashlens_using_subcommand help; and not __fish_seen_subcommand_from run attach diagnose check rules completions help" -f -a "rules" -d 'Show the rules by which causes are told and environments are checked, or the page of one'
complete -c crashlens -n "__fish_crashlens_using_subcommand help; and not __fish_seen_subcommand_from run attach diagnose check rules completions help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c crashlens -n "__fish_crashlens_using_subcommand help; and not __fish_seen_subcommand_from run attach diagnose check rules completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c crashlens -n "__fish_crashlens_using_subcommand help; and __fish_seen_subcommand_from check" -f -a "env" -d 'Check a Python environment and the machine: packages, native files, loader, processor, limits, GPU libraries'
complete -c crashlens -n "__fish_crashlens_using_subcommand help; and __fish_seen_subcommand_from check" -f -a "data" -d 'Check training files: damage that TensorFlow crashes on, hangs on, refuses, or reads as wrong values without a word'
complete -c crashlens -n "__fish_crashlens_using_subcommand help; and __fish_seen_subcommand_from check" -f -a "model" -d 'Check models, checkpoints and weights before anything loads them'
