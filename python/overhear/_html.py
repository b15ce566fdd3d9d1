"""HTML that notebooks show for a run and its tables. Texts come from programs and paths, so all of them are escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def run(title: str, warnings: Iterable[str], tables: Iterable[tuple[str, str]]) -> str:
    """A run: its title, its warnings, and what a row of each of its tables is."""
    said = "".join(f"<li>{escape(warning)}</li>" for warning in warnings)
    return f"<p><b>{escape(title)}</b></p>" + (f"<ul>{said}</ul>" if said else "") + rows(("run.tables", "a row is"), tables)


def table(name: str, meaning: str, columns: Iterable[tuple[str, str]]) -> str:
    """A table that is not read yet: what a row is, and what each column says."""
    return f"<p><b>{escape(name)}</b>: {escape(meaning)}</p>" + rows(("column", "meaning"), columns)


def rows(headings: Sequence[str], of: Iterable[Sequence[str]]) -> str:
    """Rows of text below their headings, aligned to the left as the command's tables of text are."""
    def row(kind: str, cells: Sequence[str]) -> str:
        return "<tr>" + "".join(f'<{kind} style="text-align: left">{escape(cell)}</{kind}>' for cell in cells) + "</tr>"

    body = "".join(row("td", cells) for cells in of)
    return f"<table><thead>{row('th', headings)}</thead><tbody>{body}</tbody></table>"
