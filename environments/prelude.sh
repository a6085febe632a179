# What the `setup` lines of an environment can call. Files of an environment are hard links: they are replaced, never
# written to.

# install SPEC...: with pip, and nothing that it depends on.
install() {
    "$PYTHON" -m pip install --quiet --disable-pip-version-check --no-deps "$@"
}

# uninstall NAME...
uninstall() {
    "$PYTHON" -m pip uninstall --quiet --yes "$@"
}

# truncated FILE BYTES: the file ends there.
truncated() {
    head -c "$2" "$1" >"$1.part"
    mv "$1.part" "$1"
}

# deb PACKAGE...: unpacks packages of Debian into $DEBS, once.
deb() {
    mkdir -p "$DEBS/archives"
    for package in "$@"; do
        if [ ! -e "$DEBS/archives/$package.done" ]; then
            (cd "$DEBS/archives" && apt-get download -qq "$package" && dpkg -x "${package}"_*.deb "$DEBS")
            touch "$DEBS/archives/$package.done"
        fi
    done
}
