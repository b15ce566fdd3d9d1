"""A run, and what the analyses find out about it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from overhear import _html, _overhear

Report = dict[str, Any]
"""What a command prints with ``--format json``: ``run`` has single figures, ``warnings`` what has to be known to read them right, and every other
key but ``schema`` is a table, a list of rows. ``overhear schema COMMAND`` describes it."""


CallSiteName = Literal["site", "caller", "path"]
"""What a call site is called by: its place, the first one outside the program's communication layer, or all functions on the way to it."""


def open(
    folder: str | os.PathLike[str] | None = None,
    *,
    region: str | None = None,
    ranks: str | None = None,
    start: float | None = None,
    end: float | None = None,
    whole: bool = False,
    cache: bool = True,
) -> Run:
    """Reads a run.

    ``folder`` is the one that overhear named when it recorded; by default, the newest run in the working folder. The rest chooses what of it to
    look at: what happened inside regions of a name; ranks, as ``"0-3,8"``; calls that began between two times, in seconds since the first rank
    entered MPI_Init. Starting and ending MPI counts only with ``whole``; the tables of the data set always have it. Without ``cache``, names of call sites are not saved for the next time.

    Raises :class:`overhear.Error` where there is no run, or nothing of what was chosen.
    """
    def nanoseconds(time: float | None) -> int | None:
        return None if time is None else round(time * 1e9)

    return Run(_overhear.Run(folder, region, ranks, nanoseconds(start), nanoseconds(end), whole, cache))


class Run:
    """A run that is read. Its analyses are those of the command, and each returns what ``overhear COMMAND --format json`` prints.

    They raise :class:`overhear.Error`, in the command's words, where the run has nothing of what they are about.
    """

    def __init__(self, run: _overhear.Run) -> None:
        self._run = run

    def __repr__(self) -> str:
        return f"<overhear run {self.folder}: {self.size} ranks>"

    def _repr_html_(self) -> str:
        title = f"{self.folder}: {self.size} ranks"
        return _html.run(title, self.warnings, ((name, table.meaning) for name, table in self.tables.items()))

    @property
    def folder(self) -> Path:
        """Its folder."""
        return Path(self._run.folder)

    @property
    def size(self) -> int:
        """How many ranks it had."""
        return self._run.size

    @property
    def is_partial(self) -> bool:
        """Whether something is missing that a whole run has; the warnings say what."""
        return self._run.is_partial

    @property
    def warnings(self) -> list[str]:
        """What has to be known to read the figures right."""
        return self._run.warnings

    @property
    def tables(self) -> dict[str, _overhear.Table]:
        """The run as a data set: its tables by name, none of them read yet."""
        return {name: self._run.table(name, None) for name in self._run.table_names()}

    def table(self, name: str, columns: Sequence[str] | None = None) -> _overhear.Table:
        """A table of the data set, not read yet. With ``columns``, only those are made, in that order."""
        return self._run.table(name, None if columns is None else list(columns))

    def report(self, by: str = "function") -> Report:
        """Where the time went, by ``function``, ``rank``, ``rank=N``, ``behavior``, ``comm``, ``site``, ``caller``, ``path``, ``size``, ``peer``, ``thread``, ``region`` or ``collective``."""
        return json.loads(self._run.report(by))

    def progress(self, by: Literal["rank", "component", "function", "site", "caller", "path"] | None = None) -> Report:
        """What the MPI library's progress engine did: all tables, or one in full."""
        return json.loads(self._run.progress(by))

    def waits(self, by: CallSiteName = "site") -> Report:
        """Who waited for whom: why, where and how long."""
        return json.loads(self._run.waits(by))

    def why(self, by: CallSiteName = "site") -> Report:
        """What the ranks waited for, and where all their time went."""
        return json.loads(self._run.why(by))

    def path(self, by: CallSiteName = "site") -> Report:
        """The critical path: the chain of computation and calls that set the run's length."""
        return json.loads(self._run.path(by))

    def paths(self) -> Report:
        """The functions on the way to MPI as a tree, with calls, time and waits."""
        return json.loads(self._run.paths())

    def overlap(self, by: CallSiteName = "site") -> Report:
        """How much communication was hidden behind computation."""
        return json.loads(self._run.overlap(by))

    def network(self) -> Report:
        """The latency and bandwidth that the run's messages saw."""
        return json.loads(self._run.network())

    # Its name until the command was called network.
    model = network

    def fanout(self, by: CallSiteName = "site") -> Report:
        """How long rounds of one rank to several others and back take."""
        return json.loads(self._run.fanout(by))

    def pop(self) -> Report:
        """How efficient the run was, by the POP metrics."""
        return json.loads(self._run.pop())

    def matrix(
        self, comm: str | None = None, only: Literal["messages", "collectives"] | None = None
    ) -> Report:
        """Who sent how much to whom: through the communicator of a name alone, or by some calls alone."""
        return json.loads(self._run.matrix(comm, only))

    def imbalance(self, by: Literal["function", "site", "caller", "path"] = "function") -> Report:
        """How unevenly time is spread over the ranks."""
        return json.loads(self._run.imbalance(by))

    def teams(self, by: CallSiteName = "site") -> Report:
        """What the threads of OpenMP do, and how long they idle."""
        return json.loads(self._run.teams(by))

    def files(self, by: CallSiteName = "site") -> Report:
        """Which files were read and written between calls of MPI."""
        return json.loads(self._run.files(by))

    def sleeps(self, by: CallSiteName = "site") -> Report:
        """Where ranks slept between calls of MPI."""
        return json.loads(self._run.sleeps(by))

    def settings(self) -> Report:
        """What MPI was set to, and by whom."""
        return json.loads(self._run.settings())

    def check(self, by: CallSiteName = "site") -> Report:
        """Whether the ranks agree: messages, bytes, collective calls, clocks."""
        return json.loads(self._run.check(by))
