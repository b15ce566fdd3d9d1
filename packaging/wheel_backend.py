"""Builds the wheel by maturin, after the command that goes into it: `pip install .` needs cargo, a C compiler and binutils.

`cargo xtask wheel` makes the command itself, for older systems than its own, and calls maturin without this file.
"""

import os
import subprocess
from pathlib import Path

import maturin
from maturin import (  # noqa: F401, for pip
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "target/wheel/data/scripts"
# maturin asks for the folder whatever it makes.
SCRIPTS.mkdir(parents=True, exist_ok=True)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build_command()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    build_command()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def build_command():
    """Builds the recorder, then the command that carries it, and puts that where pyproject.toml looks for scripts."""
    built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "release"
    build("overhear-interposer")
    library = ROOT / "target/wheel/liboverhear.so"
    subprocess.run(["objcopy", "--strip-unneeded", built / "liboverhear.so", library], check=True)
    build("overhear", "--features", "overhear/embed", OVERHEAR_LIBRARY=str(library))
    subprocess.run(["objcopy", "--strip-unneeded", built / "overhear", SCRIPTS / "overhear"], check=True)


def build(package, *flags, **variables):
    command = ["cargo", "build", "--release", "--locked", "--package", package, *flags]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}, check=True)
