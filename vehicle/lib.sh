# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What the scripts of this folder share: where things are, and how to speak.

ROOT=$(cd "$(dirname "$0")/.." && pwd)
CACHE=${GPREEMPT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpreempt}
SERIES=6.12
SKIPPED=77

me=vehicle/$(basename "$0")

say() {
    echo "$me: $*"
}

die() {
    echo "$me: $*" >&2
    exit 1
}

# Without what it needs, the vehicle is skipped, never passed and never failed.
skip() {
    echo "$me: skipped: $*"
    exit $SKIPPED
}

now_ms() {
    echo $(($(date +%s%N) / 1000000))
}

seconds_since() {
    awk -v ms=$(($(now_ms) - $1)) 'BEGIN { printf "%.1f s", ms / 1000 }'
}

# The arguments that vehicle/build and vehicle/guest share; sets $variant, $flavour, and $built,
# the name of what is built.
parse_variant() {
    variant=stock
    flavour=debian
    while [ $# -gt 0 ]; do
        case $1 in
        --variant) variant=$2 && shift 2 ;;
        --kernel) flavour=$2 && shift 2 ;;
        *) die "unknown argument '$1'" ;;
        esac
    done
    case $flavour in
    debian) built=$variant ;;
    debug | uml) built=$variant-$flavour ;;
    *) die "unknown kernel '$flavour': there are debian, debug and uml" ;;
    esac
}

# need COMMAND PACKAGE: the tools that are not part of a minimal system
need() {
    command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ] || [ -x "/sbin/$1" ] ||
        skip "'$1' is missing (Debian: $2)"
}
