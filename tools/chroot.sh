# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced by the tools that try the project on a bare machine: a Debian of $SUITE with the
# packages $BARE in the folder $root, which is removed at the end.
#
# The mirror, its keys and any proxy come from this machine's own apt configuration.
#
# CHROOT=DIR  where (default: a new folder under /var/tmp); an existing one is reused
# KEEP=1      leave the chroot behind

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

[ "$(id -u)" -eq 0 ] || die "must be root"
command -v debootstrap >/dev/null || die "debootstrap is not installed"

root=${CHROOT:-$(mktemp -d /var/tmp/gpreempt-chroot.XXXXXX)}

step=
started=0

elapsed_ms() {
    echo $((($(date +%s%N) - started) / 1000000))
}

cleanup() {
    status=$?
    trap - EXIT INT TERM
    [ -z "$step" ] || echo "== $step: FAILED after $(elapsed_ms) ms"
    for dir in dev/pts proc; do
        ! mountpoint -q "$root/$dir" || umount "$root/$dir" || status=1
    done
    if [ -n "${KEEP:-}" ]; then
        echo "chroot kept in $root"
    elif mountpoint -q "$root/proc" || mountpoint -q "$root/dev/pts"; then
        echo "$root: something is still mounted: not removed" >&2
    else
        rm -rf --one-file-system "$root"
    fi
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# timed NAME COMMAND...: runs a step and prints its time; cleanup() tells which one failed.
# The command is not part of a condition, so that set -e holds inside it.
timed() {
    step=$1
    started=$(date +%s%N)
    shift
    "$@"
    echo "== $step: $(elapsed_ms) ms"
    step=
}

own_suite() {
    # shellcheck disable=SC1091 # of this machine
    (. /etc/os-release && echo "$VERSION_CODENAME")
}

# Where this machine gets its own suite from: a mirror has the others too.
mirror() {
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk -v suite="$(own_suite)" '$1 == suite && $2 == "main" { print $3; exit }'
}

bootstrap() {
    local uri proxy
    uri=$(mirror)
    [ -n "$uri" ] || die "no main of $(own_suite) in this machine's apt sources"
    proxy=$(apt-config dump --format '%v%n' Acquire::http::Proxy)
    env ${proxy:+http_proxy="$proxy" https_proxy="$proxy"} \
        debootstrap --variant=minbase --include="$BARE" "$SUITE" "$root" "$uri" \
        >"$root.log" 2>&1 || {
        tail -n 20 "$root.log" >&2
        return 1
    }
    rm -f "$root.log"
}

# The chroot's apt and resolver work as this machine's do. Its package lists are empty, as on
# a machine that was just installed: tools/deps has to fetch them.
configure() {
    local f
    rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/*
    for f in sources.list sources.list.d auth.conf auth.conf.d keyrings trusted.gpg.d; do
        [ ! -e "/etc/apt/$f" ] || cp -a "/etc/apt/$f" "$root/etc/apt/"
    done
    if [ "$SUITE" != "$(own_suite)" ]; then
        rm -rf "$root"/etc/apt/sources.list.d/*
        echo "deb $(mirror) $SUITE main" >"$root/etc/apt/sources.list"
    fi
    apt-config dump --format '%f "%v";%n' Acquire | grep -v '"";$' \
        >"$root/etc/apt/apt.conf.d/99host" || true
    mkdir -p "$root/usr/local/share/ca-certificates"
    cp -a /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    cp -L /etc/hosts "$root/etc/hosts"
    in_chroot update-ca-certificates >/dev/null 2>&1
    rm -rf "$root"/var/lib/apt/lists/*
}

# A clean environment: nothing of this shell's PATH or settings.
in_chroot() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv LANG=C.UTF-8 \
        TERM=dumb "$@"
}

# Makes the chroot, or takes the one that is there, and mounts what programs expect.
open_chroot() {
    if [ ! -x "$root/usr/bin/apt-get" ]; then
        mkdir -p "$root"
        timed "debootstrap $SUITE with ${BARE//,/ }" bootstrap
    fi
    # As on any machine: other users may come in, and terminals can be opened.
    chmod 755 "$root"
    mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
    mountpoint -q "$root/dev/pts" ||
        mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
    ln -sf pts/ptmx "$root/dev/ptmx"
    timed "apt configuration" configure
}
