# In a root with an old glibc, a C compiler and an MPI: what README says of the archive.
set -eu
cd /tmp
rm -rf unpacked run /opt/overhear /usr/local/bin/overhear
echo "glibc $(ldd --version | sed -n '1s/.* //p')"
for program in cargo rustc; do
    if command -v $program; then
        echo "$program is here"
        exit 1
    fi
done

# From any folder, and by a link.
mkdir unpacked
tar -xf archive.tar.gz -C unpacked
mv unpacked/overhear-* /opt/overhear
ln -s /opt/overhear/bin/overhear /usr/local/bin/overhear
overhear doctor | grep ' /opt/overhear/lib/liboverhear.so$'

mpicc -g -O1 wavefront.c -o wavefront
overhear record --dir run mpirun -n 2 ./wavefront
overhear waits run | tee waits
grep -q '^late_sender .*wavefront.c:' waits
overhear report run --html run/page.html
if [ "$1" = polars ]; then
    overhear query run 'SELECT function, count(*) AS calls FROM calls GROUP BY function ORDER BY calls DESC LIMIT 3'
fi
overhear record --dir shipped --ship mpirun -n 2 ./wavefront
cmp shipped/liboverhear.so /opt/overhear/lib/liboverhear.so
rm -rf shipped

share=/opt/overhear/share
PATH=/opt/overhear/bin:$PATH man overhear-waits | tee page | sed -n 1,4p
grep -q overhear-waits page
[ "$(XDG_DATA_DIRS=$share:/usr/share fish -c 'complete -C "overhear wait"' | cut -f 1)" = waits ]
[ "$(bash -c ". $share/bash-completion/completions/overhear
    COMP_WORDS=(overhear wait) COMP_CWORD=1; _overhear overhear wait overhear; echo \${COMPREPLY[*]}")" = waits ]
[ "$(zsh -c "fpath=($share/zsh/site-functions \$fpath); autoload -U compinit; compinit -u; echo \$_comps[overhear]")" = _overhear ]
echo "completions of bash, zsh and fish work"
