"""What notebooks show of runs and tables, read back by an HTML parser. Needs neither the module in Rust nor any package."""

import importlib.util
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType, SimpleNamespace

PACKAGE = Path(__file__).resolve().parents[1] / "overhear"
HOSTILE = "<script>alert('1')</script> & \"x\""


def loaded(name: str) -> ModuleType:
    """A file of the package, without what the package itself imports."""
    spec = importlib.util.spec_from_file_location(f"overhear.{name}", PACKAGE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Shown(HTMLParser):
    """The elements of a page, which of them are left open, and the text of its table, row by row."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.opened: list[str] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.opened == []

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.opened.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.opened[-1] in ("td", "th"):
            self.rows[-1].append(data)


package = sys.modules["overhear"] = ModuleType("overhear")
package._html = loaded("_html")
package._overhear = SimpleNamespace(Table=object, Run=object, Error=Exception)
KNOWN = {"p", "b", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}


def a_table_shows_its_columns() -> None:
    shown = Shown(package._html.table("calls", "a call", {"rank": "whose", "start_s": "when"}.items()))
    assert shown.rows == [["column", "meaning"], ["rank", "whose"], ["start_s", "when"]]
    assert shown.elements <= KNOWN and shown.text.startswith("calls: a call")


def text_of_a_program_stays_text() -> None:
    for page in (
        package._html.table(HOSTILE, HOSTILE, [(HOSTILE, HOSTILE)]),
        package._html.run(HOSTILE, [HOSTILE], [(HOSTILE, HOSTILE)]),
    ):
        shown = Shown(page)
        assert shown.elements <= KNOWN and shown.rows[1] == [HOSTILE, HOSTILE] and shown.text.startswith(HOSTILE)


def a_run_shows_its_warnings_and_tables() -> None:
    tables = {"calls": SimpleNamespace(meaning="a call")}
    of = SimpleNamespace(folder="a<b", size=2, warnings=["rank 1 is missing"], tables=tables)
    shown = Shown(loaded("_run").Run._repr_html_(of))
    assert shown.rows == [["run.tables", "a row is"], ["calls", "a call"]]
    assert "a<b: 2 ranks" in shown.text and "rank 1 is missing" in shown.text


if __name__ == "__main__":
    for test in (a_table_shows_its_columns, text_of_a_program_stays_text, a_run_shows_its_warnings_and_tables):
        test()
        print(f"{test.__name__.replace('_', ' ')} ... ok", file=sys.stderr)
