group=/sys/fs/cgroup/pids/new-no-threads-$$
mkdir "$group" || exit 1
trap 'rmdir "$group"' EXIT
(
  echo 4 > "$group/pids.max"
  echo $BASHPID > "$group/cgroup.procs"
  exec "$1" repro.py
)
