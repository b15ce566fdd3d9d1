"""What the package is made on, in Rust."""

import os

__version__: str

class Error(Exception):
    """Why a run cannot be read or analysed: what is wrong, where, and what to try."""

class Table:
    """A table of a run, not read yet.

    Whatever takes Arrow by its PyCapsule interface takes it. Each that does reads the run's files anew, a part at a time.
    """

    @property
    def name(self) -> str:
        """Its name."""
    @property
    def meaning(self) -> str:
        """What a row is."""
    @property
    def columns(self) -> dict[str, str]:
        """What each column says, by its name."""
    def _repr_html_(self) -> str:
        """Its columns and their meanings, for notebooks. It reads no row."""
    def __arrow_c_schema__(self) -> object:
        """Its columns, for Arrow's readers."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Its rows, for Arrow's readers."""

class Run:
    def __new__(
        cls,
        folder: str | os.PathLike[str] | None,
        region: str | None,
        ranks: str | None,
        from_ns: int | None,
        to_ns: int | None,
        whole: bool,
        cache: bool,
    ) -> Run: ...
    @property
    def folder(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def is_partial(self) -> bool: ...
    @property
    def warnings(self) -> list[str]: ...
    @staticmethod
    def table_names() -> list[str]: ...
    def table(self, name: str, columns: list[str] | None) -> Table: ...
    def report(self, by: str) -> str: ...
    def progress(self, by: str | None) -> str: ...
    def waits(self) -> str: ...
    def path(self) -> str: ...
    def overlap(self) -> str: ...
    def network(self) -> str: ...
    def fanout(self) -> str: ...
    def pop(self) -> str: ...
    def matrix(self, comm: str | None, only: str | None) -> str: ...
    def imbalance(self, by: str) -> str: ...
    def check(self) -> str: ...
