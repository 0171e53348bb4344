# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# Debian packages with all that they depend on, unpacked into the cache: of the machine's own
# suites ("host") or of another one from the same mirror. Nothing of it is installed, and the
# machine's own package lists are not touched.

# apt_for SUITE ARGS...: apt-get with that suite's lists, as on a machine without any package
# and with an empty archive folder (apt does not name what its own has).
apt_for() {
    state=$CACHE/apt-$1
    mkdir -p "$state/lists/partial" "$state/archives/partial"
    set -- "$@" -o Dir::Cache::archives="$state/archives" -o Debug::NoLocking=1
    if [ "$1" != host ]; then
        set -- "$@" -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=- \
            -o Dir::State::lists="$state/lists" -o Dir::Cache::pkgcache= \
            -o Dir::Cache::srcpkgcache=
    fi
    shift
    apt-get -q -q "$@"
}

# Where this machine gets its own release from.
mirror() {
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "main" && $2 ~ /\/debian\/?$/ { print $2; exit }'
}

# suites SUITE: what it is complete with
suites() {
    [ "$1" != experimental ] || echo sid
    echo "$1"
}

# A suite that is not the machine's own gets lists of its own, once a day.
update() {
    state=$CACHE/apt-$1
    [ "$1" != host ] || return 0
    [ -z "$(find "$state/updated" -mtime -1 2>/dev/null)" ] || return 0
    mkdir -p "$state/lists/partial" "$state/archives/partial"
    uri=$(mirror)
    [ -n "$uri" ] || return 1
    for part in $(suites "$1"); do
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $part main"
    done >"$state/sources.list"
    apt_for "$1" update >/dev/null 2>"$CACHE/apt.log" || return 1
    : >"$state/updated"
}

# "'URI' FILE SIZE HASH" for each package of the closure, and of $ALONE, which is taken without
# what it depends on; nothing if one of both cannot be had
closure() {
    case $1 in
    experimental) set -- "$@" -o APT::Default-Release=experimental ;;
    esac
    alone=
    if [ -n "${ALONE:-}" ]; then
        # shellcheck disable=SC2086 # a list of packages
        alone=$(apt_for "$@" --print-uris download $ALONE 2>/dev/null) || return 0
        [ -n "$alone" ] || return 0
    fi
    # shellcheck disable=SC2086 # a list of packages
    apt_for "$@" -o Dir::State::status=/dev/null -y --no-install-recommends --print-uris \
        install $PACKAGES 2>/dev/null || return 0
    [ -z "$alone" ] || echo "$alone"
}

# apt downloads by package and version and checks what it gets; the list names files.
fetch() {
    mkdir -p "$new/debs"
    # shellcheck disable=SC2046 # a list of words
    (cd "$new/debs" && apt_for "$1" download $(echo "$list" | awk '{ print $2 }' |
        sed 's/_[^_]*\.deb$//; s/%3a/:/; s/_/=/') >/dev/null 2>"$CACHE/apt.log") || return 1
    for deb in "$new"/debs/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$new" --keep-directory-symlink || return 1
    done
    rm -r "$new/debs"
}

# A root with /usr merged, in which the packages of either suite find their files.
skeleton() {
    rm -rf "$new"
    for d in bin sbin lib lib64; do
        mkdir -p "$new/usr/$d"
        ln -s "usr/$d" "$new/$d"
    done
    mkdir -p "$new/proc" "$new/sys" "$new/dev" "$new/tmp"
}

unpack() {
    new=$dir.new
    say "fetching $(echo "$list" | wc -l) packages ($2)" >&2
    skeleton
    fetch "$2" || return 1
    trim || return 1
    : >"$new/complete" && mv "$new" "$dir"
}

# newest_cached NAME SUITE
newest_cached() {
    # shellcheck disable=SC2012 # names without surprises
    ls -td "$CACHE/$1-$2-"*/ 2>/dev/null | while read -r cached; do
        case $cached in
        *.new/) ;;
        *) [ ! -f "$cached/complete" ] || echo "${cached%/}" ;;
        esac
    done | head -n 1
}

# prepare NAME SUITE: sets $dir to a folder of the cache with $PACKAGES and all that they depend
# on, without what trim() takes away, or fails. What apt offers today; if it offers nothing or
# that cannot be had, what there is.
prepare() {
    list=
    ! update "$2" || list=$(closure "$2")
    if [ -n "$list" ]; then
        dir=$CACHE/$1-$2-$(echo "$list" | sha256sum | cut -c1-16)
        [ ! -f "$dir/complete" ] || return 0
        ! unpack "$1" "$2" || return 0
    fi
    dir=$(newest_cached "$1" "$2")
    [ -n "$dir" ]
}
