#!/bin/sh
# Lays overhear out under a folder: command and recorder, which are built, with headers, manual pages, completions and guide.
#
#     cargo build --release
#     packaging/install.sh PREFIX target/release/overhear target/release/liboverhear.so
set -eu
if [ $# != 3 ]; then
    echo "usage: packaging/install.sh PREFIX COMMAND LIBRARY" >&2
    exit 2
fi
prefix=$1 command=$2 library=$3
source=$(dirname "$0")/..
share=$prefix/share

install -D -m 755 "$command" "$prefix/bin/overhear"
install -D -m 755 "$library" "$prefix/lib/liboverhear.so"
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
