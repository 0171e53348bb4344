# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# Compiles a kernel of our own configuration from Debian's linux-source, once, into the cache:
# what vehicle/debug-kernel and vehicle/uml-kernel share.
#
# The folder, CACHE/linux-NAME-VERSION-HASH, has the entries of vehicle/fetch's, as far as
# vehicle/build and vehicle/guest use them; the kernel needs no modules.
#
# A script that includes this sets $NAME and $CONFIG, defines
#   adapt     changes the source, in $build, before it is configured
#   compile   makes the kernel and what modules are built against
#   prune     leaves of $build what a package of headers has
# and calls own_kernel with the files that its result depends on besides.
#
# JOBS=N   compile N files at a time; by default one per processor

unpack() {
    mkdir -p "$build"
    xz -dc "$kernel/linux-source.tar.xz" | tar -x -C "$build" --strip-components=1
}

# An option that depends on something that is off goes silently: say which.
configure() {
    make -s -C "$build" tinyconfig >"$dir/build.log" 2>&1
    cat "$CONFIG" >>"$build/.config"
    make -s -C "$build" olddefconfig >>"$dir/build.log" 2>&1
    grep -E '^(# )?CONFIG_' "$CONFIG" | grep -vxF -f "$build/.config" >"$dir/lost" || return 0
    die "options that this kernel does not take: $(xargs <"$dir/lost")"
}

# compile_targets TARGET...
compile_targets() {
    say "compiling a $NAME kernel, once: $dir/build.log" >&2
    nice -n 10 make -C "$build" -j"${JOBS:-$(nproc)}" "$@" >>"$dir/build.log" 2>&1 || {
        grep -E 'error|Error|\*\*\*' "$dir/build.log" | head -n 20 >&2
        die "the build failed: $dir/build.log"
    }
    # There are no modules: what vmlinux exports is all.
    cp "$build/vmlinux.symvers" "$build/Module.symvers"
}

# keep FOLDER NAME...: nothing else stays in that folder of $build
keep() {
    folder=$build/$1
    shift
    for entry in "$folder"/*; do
        case " $* " in
        *" ${entry##*/} "*) ;;
        *) [ ! -d "$entry" ] || rm -rf "$entry" ;;
        esac
    done
}

# The entries of a folder of vehicle/fetch.
link() {
    make -s -C "$build" kernelrelease >"$dir/release"
    ln -sfn "../$(basename "$kernel")/amd" "$dir/amd"
    ln -sfn build "$dir/headers"
    mkdir -p "$dir/modules/kernel" "$dir/usr/src"
    ln -sfn ../../build "$dir/usr/src/linux-headers-$NAME-common"
}

make_it() {
    start=$(now_ms)
    # A build that was interrupted goes on.
    if [ ! -f "$dir/configured" ]; then
        rm -rf "$dir"
        unpack
        adapt
        configure
        echo "$hash" >"$dir/configured"
    fi
    compile
    link
    prune
    cp "$kernel/complete" "$dir/complete"
    say "$(cat "$dir/release"): $(seconds_since "$start")" >&2
}

# own_kernel RECIPE FILE...: prints the folder. RECIPE is a number, to be raised when the steps
# make something else of the same files.
own_kernel() {
    kernel=$("$ROOT/vehicle/fetch" --quiet --source) || {
        status=$?
        [ -z "$kernel" ] || echo "$kernel"
        exit $status
    }
    need flex flex
    need bison bison
    need bc bc
    recipe=$1
    shift
    hash=$(echo "$recipe" | cat - "$CONFIG" "$@" | sha256sum | cut -c 1-16)
    dir=$CACHE/linux-$NAME-$(cat "$kernel/complete")-$hash
    build=$dir/build
    exec 9>"$CACHE/lock-$NAME"
    flock 9
    # Without the folder of vehicle/fetch that it was made of, it is made anew.
    [ ! -f "$dir/complete" ] || [ -d "$dir/amd" ] || rm -rf "$dir"
    [ -f "$dir/complete" ] || make_it
    echo "$dir"
}
