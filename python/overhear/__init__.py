"""Recorded runs of MPI programs, as tables and as what the analyses find out.

Record a program with the command of this package, then look at the run::

    $ overhear record mpiexec -n 4 python app.py

    >>> import overhear, polars
    >>> run = overhear.open()                     # the newest run in the working folder
    >>> polars.DataFrame(run.tables["calls"])     # every call; pandas, pyarrow and DuckDB take it alike
    >>> run.waits()["waits"][0]                   # who waited longest for whom, and where
"""

from overhear._overhear import Error, Table, __version__
from overhear._run import Report, Run, open

__all__ = ["Error", "Report", "Run", "Table", "__version__", "open"]
