"""Makes the pictures of the docs: `python -m tests.pictures DEMO`, a folder of `evenfleet demo`.

The page is DEMO/report.html in headless Chromium, which is docs/sample-report.html too; charts are
those in the outputs of the notebooks, and the league of DEMO/compare.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from pyarrow import parquet

from spark.charts import CHARTS

DOCS = Path(__file__).parents[1] / "docs"

SHOWN_BY = {
    "plan.chart()": "balance",
    "why.chart()": "matrix",
    "history.chart()": "trend",
    "frontier.chart()": "frontier",
    "deployed.chart()": "timeline",
    "scaled.chart(best.group, best.cluster)": "scaling",
}
"""The last line of a notebook's cell, and the chart that it shows."""


AGE = re.compile(r' · <span id="age".*?</span>')
"""A sample gets older each day, and the demo's fleet is of one day."""


def main() -> None:
    demo = Path(sys.argv[1])
    draw_charts(demo)
    page = DOCS / "sample-report.html"
    text = (demo / "report.html").read_text("utf-8").replace(str(demo), "demo")
    page.write_text(AGE.sub("", text), "utf-8")
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
    CHARTS["league"].chart(consumers).save(DOCS / "charts/league.svg")


if __name__ == "__main__":
    main()
