mkdir disk
exec unshare -m bash -c 'mount -t tmpfs -o size=1m none disk && exec "$0" repro.py' "$1"
