"""Makes the pictures of the docs: `python -m tests.pictures DEMO`, a folder of `evenfleet demo`.

The terminal is that of `evenfleet plan`, run in a pseudo-terminal; the page is DEMO/report.html in
headless Chromium; charts are those in the outputs of the notebooks, and the league of DEMO/compare.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from io import StringIO
from pathlib import Path

from pyarrow import parquet
from rich.console import Console
from rich.text import Text

from spark.charts import CHARTS

DOCS = Path(__file__).parents[1] / "docs"

COLUMNS, ROWS = 100, 60

FONT = re.compile(r"@font-face \{.*?\}\s*", re.S)
"""What a picture would fetch."""

SPINNER = re.compile("[\u2800-\u28ff] ")
"""What moves while a command works."""

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


def in_terminal(words: list[str], columns: int) -> str:
    """What a command shows in a terminal of so many columns, with its colours."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)}
    with subprocess.Popen(words, stdin=there, stdout=there, stderr=there, env=environment):
        os.close(there)
        pieces = []
        while True:
            try:
                piece = os.read(here, 65_536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            pieces.append(piece)
    os.close(here)
    return b"".join(pieces).decode("utf-8", "replace").replace("\r\n", "\n")


def draw(text: str, to: Path) -> None:
    """A picture of a terminal's text."""
    lines = [line.rsplit("\r", 1)[-1].rsplit("\x1b[2K", 1)[-1] for line in text.split("\n")]
    lines = [line for line in lines if not SPINNER.search(line)]
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi("\n".join(lines)))
    picture = console.export_svg(title="evenfleet")
    to.write_text(FONT.sub("", picture), "utf-8")


if __name__ == "__main__":
    main()
