"""The notebooks of docs/notebooks run from end to end, one after the other in one kernel."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from pyspark.sql import SparkSession

from spark.demo import make_history
from spark.fleet.local_store import write_store
from tests.conftest import run_folder
from tests.paths import ROOT
from tests.support.fleets import SNAPSHOT
from tests.support.locks import resolving

pytestmark = pytest.mark.ends

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))

LARGEST = 60_000  # bytes of a notebook with what its cells have shown

GROUPS, HOURS = 20, 4

ATTACH = """
from pathlib import Path
from tests.support.shared_jvm import SharedJvm
SharedJvm(Path({folder!r})).session({{}})
"""
"""A kernel's first cell: its session is in the JVM of the run, which has compiled much already."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of a few hours, as the notebooks find it."""
    folder = tmp_path_factory.mktemp("notebooks")
    made = make_history(GROUPS, seed=5, hours=12)
    for snapshot, tables in [*made.snapshots(SNAPSHOT)][-HOURS:]:
        write_store(tables, folder / "demo/store", snapshot)
    return folder


@pytest.fixture(scope="module")
def run(
    demo: Path, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, list[NotebookNode]]]:
    """The cells of each notebook, executed; a cell that fails ends the test with its error."""
    books = {notebook.stem: nbformat.read(notebook, 4) for notebook in NOTEBOOKS}
    cells = [cell for book in books.values() for cell in book.cells]
    for at, cell in enumerate(cells):
        cell["id"] = f"cell-{at}"
        # Java is in another folder
        cell["source"] = cell.source.replace('"demo/', f'"{demo}/demo/')
        if cell.cell_type == "code":
            cell["outputs"] = []  # what the file keeps is of another day
    first = nbformat.v4.new_code_cell(ATTACH.format(folder=str(run_folder(tmp_path_factory))))
    together = nbformat.v4.new_notebook(cells=[first, *cells], metadata={})
    names = {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    client = NotebookClient(
        together, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(demo)}}
    )
    with resolving():
        client.execute(env={**os.environ, **names})
    yield {name: book.cells for name, book in books.items()}


@pytest.mark.parametrize("name", [notebook.stem for notebook in NOTEBOOKS])
def test_a_notebook(name: str, run: dict[str, list[NotebookNode]]) -> None:
    """It begins with the question that it answers, and shows tables and, mostly, charts."""
    assert run[name][0].source.splitlines()[0].endswith("?")
    shown = [
        kind
        for cell in run[name]
        for output in cell.get("outputs", [])
        for kind in output.get("data", {})
    ]
    assert "text/html" in shown
    assert "image/svg+xml" in shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda item: item.stem)
def test_what_is_kept_of_it_is_small(path: Path) -> None:
    assert path.stat().st_size < LARGEST
    kept = nbformat.read(path, 4)
    assert any(cell.get("outputs") for cell in kept.cells)
    assert not [
        output.output_type
        for cell in kept.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error" or output.get("name") == "stderr"
    ]
