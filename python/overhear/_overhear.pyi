"""The package's compiled part, in Rust: reads runs and gives tables as Arrow streams, analyses as JSON."""

import os

__version__: str

class Error(Exception):
    """Why a run cannot be read or analysed: what is wrong, where, and what to try."""

class Table:
    """A table of a run's data set, not read yet.

    It has a row for each call, message and so on, in as many columns as :attr:`columns` has names. Whatever takes Arrow by its
    PyCapsule interface takes it, and reads the run's files anew each time, some thousand rows at a time.
    """

    @property
    def name(self) -> str:
        """``calls``, ``messages`` or another of :meth:`Run.table_names`."""
    @property
    def meaning(self) -> str:
        """A sentence that says what a row is."""
    @property
    def columns(self) -> dict[str, str]:
        """The meaning of each column, by its name, in order. A name ends in the unit: ``_s`` are seconds, ``_bytes`` bytes, ``_ticks``
        readings of the rank's own counter, ``_percent`` shares; others are counts, numbers or texts."""
    def _repr_html_(self) -> str:
        """Its columns and their meanings, for notebooks. Reads no row."""
    def __arrow_c_schema__(self) -> object:
        """A capsule ``arrow_schema``: names and types of the columns, and which of them may be null. Reads no row."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule ``arrow_array_stream`` of record batches, with at most four of them read ahead. ``requested_schema`` is ignored.

        If a file cannot be read, the stream's consumer gets the error with the batch.
        """

class Run:
    """A run that is read; :class:`overhear.Run` is made on it.

    Analyses return what ``overhear COMMAND --format json`` prints, as text. They release the GIL, and raise :class:`Error` where the
    run has nothing of what they are about.
    """

    def __new__(
        cls,
        folder: str | os.PathLike[str] | None,
        region: str | None,
        ranks: str | None,
        from_ns: int | None,
        to_ns: int | None,
        whole: bool,
        cache: bool,
    ) -> Run:
        """Reads the chosen part of a run, of the newest in the working folder if ``folder`` is ``None``.

        ``ranks`` is as ``"0-3,8"``; ``from_ns`` and ``to_ns`` are nanoseconds since the first rank entered MPI_Init. Raises :class:`Error`
        where there is no run or nothing of what was chosen, ``ValueError`` for ``ranks`` of another form.
        """
    @property
    def folder(self) -> str:
        """The run's folder."""
    @property
    def size(self) -> int:
        """Number of ranks in MPI_COMM_WORLD."""
    @property
    def is_partial(self) -> bool:
        """Whether something is missing that a whole run has."""
    @property
    def warnings(self) -> list[str]:
        """Sentences that have to be known to read the figures right."""
    @staticmethod
    def table_names() -> list[str]:
        """The names of the data set's tables, the same for every run."""
    def table(self, name: str, columns: list[str] | None) -> Table:
        """A table with these columns, in this order, or with all. Raises :class:`Error` for a name that there is not."""
    def report(self, by: str) -> str:
        """``by`` as after ``overhear report --by``; ``ValueError`` for another."""
    def progress(self, by: str | None) -> str:
        """``by`` as after ``overhear progress --by``, ``None`` for all tables; ``ValueError`` for another."""
    def waits(self, by: str) -> str:
        """``by`` is ``"site"``, ``"caller"`` or ``"path"``; ``ValueError`` for another."""
    def why(self, by: str) -> str:
        """``by`` is ``"site"``, ``"caller"`` or ``"path"``; ``ValueError`` for another."""
    def path(self, by: str) -> str:
        """``by`` is ``"site"``, ``"caller"`` or ``"path"``; ``ValueError`` for another."""
    def paths(self) -> str: ...
    def overlap(self, by: str) -> str:
        """``by`` is ``"site"``, ``"caller"`` or ``"path"``; ``ValueError`` for another."""
    def network(self) -> str: ...
    def fanout(self, by: str) -> str:
        """``by`` is ``"site"``, ``"caller"`` or ``"path"``; ``ValueError`` for another."""
    def pop(self) -> str: ...
    def matrix(self, comm: str | None, only: str | None) -> str:
        """``comm`` is a communicator's name, ``only`` ``"messages"`` or ``"collectives"``, ``None`` for all; ``ValueError`` for another
        ``only``."""
    def imbalance(self, by: str) -> str:
        """``by`` is ``"function"``, ``"site"``, ``"caller"`` or ``"path"``; ``ValueError`` for another."""
    def teams(self, by: str) -> str:
        """``by`` is ``"site"``, ``"caller"`` or ``"path"``; ``ValueError`` for another."""
    def files(self, by: str) -> str:
        """``by`` is ``"site"``, ``"caller"`` or ``"path"``; ``ValueError`` for another."""
    def sleeps(self, by: str) -> str:
        """``by`` is ``"site"``, ``"caller"`` or ``"path"``; ``ValueError`` for another."""
    def settings(self) -> str: ...
    def check(self, by: str) -> str:
        """``by`` is ``"site"``, ``"caller"`` or ``"path"``; ``ValueError`` for another."""
