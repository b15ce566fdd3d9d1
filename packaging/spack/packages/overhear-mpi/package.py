# For Spack 1.0 and later:
#
#     spack repo add CHECKOUT/packaging/spack
#     spack install overhear-mpi
from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.generic import Package


class OverhearMpi(Package):
    """Listens in on unmodified MPI programs and says where their communication time went. One library for every MPI:
    this package depends on none."""

    # The checkout that this file lies in.
    git = Path(__file__).resolve().parents[4].as_uri()

    license("MIT OR Apache-2.0")

    version("main", branch="main")

    variant("polars", default=True, description="SQL, which takes minutes to build")

    depends_on("c", type="build")
    depends_on("rust@1.95:", type="build")

    def install(self, spec, prefix):
        build = ["build", "--release", "--locked", "--package", "overhear", "--package", "overhear-interposer"]
        if spec.satisfies("+polars"):
            build += ["--features", "overhear/polars"]
        which("cargo", required=True)(*build)
        built = Path("target/release").resolve()
        Executable("packaging/install.sh")(prefix, str(built / "overhear"), str(built / "liboverhear.so"))

    def test_doctor(self):
        """the command finds its library"""
        doctor = which(self.prefix.bin.overhear, required=True)
        assert str(self.prefix.lib) in doctor("doctor", output=str.split)
