group=/sys/fs/cgroup/memory/new-worker-$$
mkdir "$group" || exit 1
# The group is empty only when the last helper of multiprocessing has gone.
trap 'for n in $(seq 50); do rmdir "$group" 2>/dev/null && break; sleep 0.1; done' EXIT
(
  echo $((256 << 20)) > "$group/memory.limit_in_bytes"
  echo $BASHPID > "$group/cgroup.procs"
  exec "$1" repro.py
)
