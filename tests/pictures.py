"""Makes the pictures of the docs: `python -m tests.pictures DEMO`, a folder of `evenfleet demo`.

The terminal is that of `evenfleet plan`, run in a pseudo-terminal; the page is DEMO/report.html in
headless Chromium; charts are those in the outputs of the notebooks, and the league of DEMO/compare.
"""

import json
import re
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from pyarrow import parquet
from rich.console import Console
from rich.text import Text

from spark.charts import CHARTS
from tests.support.terminal import in_terminal

DOCS = Path(__file__).parents[1] / "docs"

COLUMNS = 100

FONT = re.compile(r"@font-face \{.*?\}\s*", re.S)
"""What a picture would fetch."""

SHOWN_BY = {
    "plan.chart()": "balance",
    "why.chart()": "matrix",
    "history.chart()": "trend",
    "frontier.chart()": "frontier",
    "deployed.chart()": "timeline",
    "scaled.chart(best.group, best.cluster)": "scaling",
}
"""The last line of a notebook's cell, and the chart that it shows."""


def main() -> None:
    demo = Path(sys.argv[1])
    draw_charts(demo)
    with tempfile.TemporaryDirectory() as out:
        words = ["plan", str(demo / "store"), "--out", f"{out}/plan"]
        program = str(Path(sys.executable).with_name("evenfleet"))
        shown = in_terminal([program, *words], COLUMNS)
    text = shown.replace(f"{out}/plan", "demo/plan").replace(str(demo), "demo")
    draw(f"$ evenfleet plan demo/store --out demo/plan\n{text}", DOCS / "terminal.svg")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        text = (demo / "report.html").read_text("utf-8")
        page.write_text(text.replace(str(demo), "demo"), "utf-8")
        photograph(page, DOCS / "report.png")


def photograph(page: Path, to: Path) -> None:
    """A picture of the first screen of a page."""
    picture = [f"--screenshot={to}", "--window-size=1280,900", "--hide-scrollbars"]
    subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", *picture, page.as_uri()],
        check=True,
        capture_output=True,
    )


def draw_charts(demo: Path) -> None:
    """A picture of each chart in docs/charts."""
    for notebook in DOCS.glob("notebooks/*.ipynb"):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            name = SHOWN_BY.get("".join(cell["source"]).rpartition("\n")[2])
            for output in cell.get("outputs", []) if name else []:
                picture = "".join(output["data"]["image/svg+xml"])
                (DOCS / f"charts/{name}.svg").write_text(picture, encoding="utf-8")
    rows = parquet.read_table(demo / "compare/fleet").to_pylist()
    consumers = [row for row in rows if row["kind"] == rows[0]["kind"]]
    CHARTS["league"].drawn(consumers).save(DOCS / "charts/league.svg")


def draw(text: str, to: Path) -> None:
    """A picture of a terminal's text."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text))
    picture = console.export_svg(title="evenfleet")
    to.write_text(FONT.sub("", picture), "utf-8")


if __name__ == "__main__":
    main()
