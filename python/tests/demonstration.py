"""What a user of the wheel does, with nothing but the environment that it was installed into: records a program of mpi4py, reads the run's
tables with Polars, pandas, PyArrow and DuckDB, asks for analyses, and runs the notebook. Compares all with what the program states.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import overhear
import pandas
import polars
import pyarrow

HERE = Path(__file__).resolve().parent


def record(folder: Path, **variables: str) -> tuple[dict, str]:
    """Records the program into a folder. Returns what it states, and what the command says."""
    command = ["overhear", "record", "--dir", str(folder), "mpiexec", "-n", "2", "python", str(HERE / "halves.py")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})
    assert done.returncode == 0, done
    return json.loads(done.stdout), done.stderr


def of_stated(counted: dict, stated: dict) -> dict:
    """The functions that the program calls. mpi4py takes those for large counts where MPI has them."""
    names = ((function, function if function in counted else f"{function}_c") for function in stated["calls"])
    return {function: counted.get(name) for function, name in names}


def every_reader_counts_the_calls_that_the_program_states(run: overhear.Run, stated: dict) -> None:
    calls = run.table("calls", ["function", "calls", "start_s"])
    in_polars = polars.DataFrame(calls).group_by("function").agg(polars.col("calls").sum())
    in_pandas = pandas.DataFrame.from_arrow(calls).groupby("function")["calls"].sum()
    in_pyarrow = pyarrow.table(calls).group_by("function").aggregate([("calls", "sum")])
    reader = pyarrow.RecordBatchReader.from_stream(calls)  # DuckDB finds it by its name.
    in_duckdb = duckdb.sql("SELECT function, sum(calls) FROM reader GROUP BY function").fetchall()
    for counted in (
        dict(in_polars.iter_rows()),
        in_pandas.to_dict(),
        {row["function"]: row["calls_sum"] for row in in_pyarrow.to_pylist()},
        {function: int(calls) for function, calls in in_duckdb},
    ):
        assert of_stated(counted, stated) == stated["calls"], counted


def every_table_is_what_its_columns_say(run: overhear.Run, stated: dict) -> None:
    for name, table in run.tables.items():
        read = pyarrow.table(table)
        assert read.column_names == list(table.columns), name
        assert read.schema == pyarrow.schema(table), name
        assert polars.DataFrame(table).height == read.num_rows, name
        assert polars.DataFrame(run.table(name, [])).width == 0, name
    messages = polars.DataFrame(run.tables["messages"]).filter(tag=7)
    assert messages.height == stated["messages"]
    assert messages["sent_bytes"].sum() == stated["bytes"]
    assert "request" in run.tables["requests"].meaning


def analyses_are_what_the_command_prints(run: overhear.Run, stated: dict) -> None:
    asked = {
        "report": run.report, "progress": run.progress, "why": run.why, "waits": run.waits, "path": run.path, "pop": run.pop,
        "matrix": run.matrix, "imbalance": run.imbalance, "check": run.check, "network": run.network, "fanout": run.fanout,
        "teams": run.teams, "files": run.files, "sleeps": run.sleeps, "settings": run.settings,
    }
    for command, analysis in asked.items():
        printed = subprocess.run(["overhear", command, run.folder, "--format", "json"], capture_output=True, check=True)
        assert analysis() == json.loads(printed.stdout), command
    waited = [row for row in run.waits()["wait_states"] if row["wait_state"] == "wait_at_nxn"]
    assert sum(row["wait_s"] for row in waited) > 0.9 * stated["slept_s"], waited
    by_rank = overhear.open(run.folder, ranks="1").report(by="function")["functions"]
    of_one = of_stated({row["function"]: row["calls"] for row in by_rank}, stated)
    assert of_one["MPI_Recv"] == stated["calls"]["MPI_Recv"] and of_one["MPI_Send"] is None, of_one


def errors_are_the_commands_own(run: overhear.Run, stated: dict) -> None:
    def said(wrong) -> str:
        try:
            wrong()
        except (overhear.Error, ValueError) as error:
            return str(error)
        raise AssertionError("nothing was raised")

    assert "The nearest one is calls" in said(lambda: run.table("call"))
    assert "The nearest one is function" in said(lambda: run.table("calls", ["functions"]))
    assert "Give the folder that overhear named" in said(lambda: overhear.open("/nowhere"))
    assert "no nonblocking request" in said(run.overlap)
    assert "it is one of" in said(lambda: run.report(by="moon"))
    assert "there is no rank 9" in said(lambda: overhear.open(run.folder, ranks="9"))
    assert "not before" in said(lambda: overhear.open(run.folder, start=2, end=1))


def a_stream_that_is_left_early_ends(run: overhear.Run, stated: dict) -> None:
    for _ in range(100):
        reader = pyarrow.RecordBatchReader.from_stream(run.tables["calls"])
        del reader
    reader = pyarrow.RecordBatchReader.from_stream(overhear.open(run.folder).tables["calls"])
    assert reader.read_all().num_rows > 0  # The run it is of is gone.


def a_cache_that_cannot_be_written_is_named_and_the_program_recorded(run: overhear.Run, stated: dict) -> None:
    assert len(list(Path("~/.cache/overhear").expanduser().glob("liboverhear-*.so"))) == 1
    with tempfile.TemporaryDirectory() as folder:
        file, elsewhere = Path(folder) / "file", Path(folder) / "run"
        file.touch()
        again, said = record(elsewhere, XDG_CACHE_HOME=str(file), TMPDIR=folder)
        assert again == stated and f"{file}/overhear: " in said and "Set XDG_CACHE_HOME" in said, said
        assert len(list(Path(folder).glob("overhear-*/liboverhear-*.so"))) == 1
        assert overhear.open(elsewhere).size == 2


def the_notebook_runs(run: overhear.Run, stated: dict) -> None:
    cells = json.loads((HERE.parent / "example.ipynb").read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    os.chdir(run.folder)
    names: dict = {}
    for source in sources:
        exec(compile(source, "example.ipynb", "exec"), names)
    assert len(sources) > 3


TESTS = [
    every_reader_counts_the_calls_that_the_program_states,
    every_table_is_what_its_columns_say,
    analyses_are_what_the_command_prints,
    errors_are_the_commands_own,
    a_stream_that_is_left_early_ends,
    a_cache_that_cannot_be_written_is_named_and_the_program_recorded,
    the_notebook_runs,
]

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        stated, _ = record(Path(folder) / "run")
        for test in TESTS:
            test(overhear.open(Path(folder) / "run"), stated)
            print(f"{test.__name__.replace('_', ' ')} ... ok", file=sys.stderr)
