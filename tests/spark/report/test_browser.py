"""Reports in a browser: nothing is fetched, nothing fails, all can be reached and read."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from spark.report import Material, html_of
from tests.spark.report import materials

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no browser: Debian's package chromium isn't installed"
)

PHONE, WIDE = {"width": 360, "height": 740}, {"width": 1200, "height": 900}

MATERIALS: dict[str, Callable[[], Material]] = {
    "a fleet": materials.material,
    "a past": materials.with_a_past,
    "hostile names": materials.hostile,
    "no groups": materials.empty,
    "10,000 findings": materials.many_findings,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - where there is a browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a report: the page, and what went wrong with it in `page.faults`."""
    contexts = []

    def show(text: str, **context: Any) -> Any:
        (tmp_path / "report.html").write_text(text, "utf-8")
        contexts.append(browser.new_context(**{"viewport": WIDE} | context))
        page = contexts[-1].new_page()
        page.faults = []
        page.on("request", lambda one: page.faults.append(f"asks for {one.url}"))
        page.on("console", lambda one: page.faults.append(one.text))
        page.on("pageerror", lambda one: page.faults.append(str(one)))
        page.goto((tmp_path / "report.html").as_uri())
        asked, *faults = page.faults
        assert asked.endswith("report.html")
        page.faults = faults
        return page

    yield show
    for one in contexts:
        one.close()


@pytest.mark.parametrize("name", MATERIALS)
def test_it_fetches_nothing_fails_nowhere_and_fits_a_phone(show: Any, name: str) -> None:
    page = show(html_of(MATERIALS[name]()), viewport=PHONE)
    for fold in page.locator("summary").all():
        if fold.is_visible():
            fold.click()
    assert page.faults == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    drawn = page.locator(".picture svg").evaluate_all(
        "all => all.map(one => one.querySelectorAll('[class*=mark-] path, line, text').length)"
    )
    assert all(marks > 0 for marks in drawn)
    assert bool(drawn) == (name != "no groups")


@pytest.mark.parametrize("name", MATERIALS)
def test_everybody_can_read_it(show: Any, name: str) -> None:
    from axe_core_python.sync_playwright import Axe  # noqa: PLC0415 - where there is a browser

    for scheme in ("light", "dark") if name == "a fleet" else ("dark",):
        page = show(html_of(MATERIALS[name]()), color_scheme=scheme, bypass_csp=True)
        found = Axe().run(page)["violations"]
        assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_light_and_dark_differ(show: Any) -> None:
    text = html_of(materials.material())
    light, dark = (show(text, color_scheme=scheme).screenshot() for scheme in ("light", "dark"))
    assert light != dark


def test_a_table_is_sorted_and_filtered_by_keyboard(show: Any) -> None:
    page = show(html_of(materials.many_findings()))
    table = page.locator("table[data-sorted]")
    first = table.locator("tbody tr").first
    assert first.locator("td").first.inner_text() == "critical"
    table.locator("th button").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert table.locator("th").first.get_attribute("aria-sort") == "descending"
    assert first.locator("td").first.inner_text() == "info"
    page.locator("[data-filter]").focus()
    page.keyboard.type("trouble 499.")
    assert table.locator("tbody tr:visible").count() == 1
    assert page.locator("output").inner_text() == "1 of 500 rows"


def test_a_static_page_runs_no_script(show: Any) -> None:
    page = show(html_of(materials.many_findings(), static=True))
    assert page.locator("script, button, input").count() == 0
    assert page.faults == []
