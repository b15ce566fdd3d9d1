#!/bin/sh
# Lays overhear out under a folder: command and recorder, which are built, with headers, manual pages, completions and guide.
#
#     cargo build --profile small --package overhear && cargo build --release --package overhear-interposer
#     packaging/install.sh PREFIX target/small/overhear target/release/liboverhear.so
set -eu
if [ $# != 3 ]; then
    echo "usage: packaging/install.sh PREFIX COMMAND LIBRARY" >&2
    exit 2
fi
prefix=$1 command=$2 library=$3
source=$(dirname "$0")/..
share=$prefix/share

# Debug information goes into a file of its own, in a folder where debuggers and backtraces look for it. Nothing else needs it.
# Conda names its tools in variables.
objcopy=${OBJCOPY:-objcopy}
stripped() {
    debug=$(dirname "$2")/.debug/$(basename "$2").debug
    install -D -m 755 "$1" "$2"
    install -d "$(dirname "$debug")"
    "$objcopy" --only-keep-debug "$1" "$debug"
    chmod 644 "$debug"
    "$objcopy" --strip-unneeded --add-gnu-debuglink="$debug" "$2"
}
stripped "$command" "$prefix/bin/overhear"
stripped "$library" "$prefix/lib/liboverhear.so"
for header in overhear.h overhear.f90; do
    install -D -m 644 "$source/interposer/include/$header" "$prefix/include/$header"
done

"$prefix/bin/overhear" man "$share/man/man1"
completions() {
    mkdir -p "$(dirname "$share/$2")"
    "$prefix/bin/overhear" completions "$1" > "$share/$2"
}
completions bash bash-completion/completions/overhear
completions zsh zsh/site-functions/_overhear
completions fish fish/vendor_completions.d/overhear.fish

# README and the guide, with what their links lead to.
for document in README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md LICENSE-APACHE LICENSE-MIT docs \
    python/README.md python/example.ipynb traces/FORMAT.md traces/samples; do
    mkdir -p "$(dirname "$share/doc/overhear/$document")"
    cp -R "$source/$document" "$(dirname "$share/doc/overhear/$document")"
done
