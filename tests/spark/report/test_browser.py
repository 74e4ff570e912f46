"""Reports in a browser: nothing is fetched, nothing fails, all can be reached and read."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from spark.report import Material, html_of
from tests.spark.report import materials

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.ends,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no browser: Debian's package chromium isn't installed"
    ),
]

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
        page.on("request", lambda item: page.faults.append(f"asks for {item.url}"))
        page.on("console", lambda item: page.faults.append(item.text))
        page.on("pageerror", lambda item: page.faults.append(str(item)))
        page.goto((tmp_path / "report.html").as_uri())
        asked, *faults = page.faults
        assert asked.endswith("report.html")
        page.faults = faults
        return page

    yield show
    for item in contexts:
        item.close()


@pytest.mark.parametrize("name", MATERIALS)
def test_it_fetches_nothing_fails_nowhere_and_fits_a_phone(show: Any, name: str) -> None:
    page = show(html_of(MATERIALS[name]()), viewport=PHONE)
    for row in page.locator("#table tbody th a").all()[:2]:
        row.click()
    for fold in page.locator("summary").all():
        if fold.is_visible():
            fold.click()
    assert page.faults == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert bool(page.locator(".loads .track").count()) == (name != "no groups")
    assert page.locator(".trend polyline").count() == (4 if name == "a past" else 0)


@pytest.mark.parametrize("name", MATERIALS)
def test_everybody_can_read_it(show: Any, name: str) -> None:
    from axe_core_python.sync_playwright import Axe  # noqa: PLC0415 - where there is a browser

    for scheme in ("light", "dark") if name == "a fleet" else ("dark",):
        page = show(html_of(MATERIALS[name]()), color_scheme=scheme, bypass_csp=True)
        violations = Axe().run(page)["violations"]
        assert [
            item["id"] for item in violations if item["impact"] in ("serious", "critical")
        ] == []


def test_light_and_dark_differ(show: Any) -> None:
    text = html_of(materials.material())
    light, dark = (show(text, color_scheme=scheme).screenshot() for scheme in ("light", "dark"))
    assert light != dark


def _names(page: Any) -> list[str]:
    """Of the rows that are shown."""
    names: list[str] = page.locator("#table tbody th a:visible").all_inner_texts()
    return names


def test_groups_are_sorted_searched_and_filtered_by_keyboard(show: Any) -> None:
    page = show(html_of(materials.two_clusters()))
    assert _names(page) == [f"g{at}" for at in range(25)]
    page.locator(".all").focus()
    page.keyboard.press("Enter")
    assert len(_names(page)) == 40
    moves = page.locator("#table thead th", has_text="moves")
    moves.locator("button").focus()
    page.keyboard.press("Enter")
    assert moves.get_attribute("aria-sort") == "descending"
    assert _names(page)[:2] == ["g39", "g38"]
    page.locator("#search").focus()
    page.keyboard.type("g1?")
    assert page.locator("#matches").inner_text() == "10 of 40 groups"
    page.locator("[data-chip='1'] button").focus()
    page.keyboard.press("Space")
    assert _names(page) == ["g19", "g17", "g15", "g13", "g11"]
    page.locator("#kind").select_option("kind-2")
    assert _names(page) == ["g15"]


def test_a_chip_shows_one_cluster_on_the_whole_page(show: Any) -> None:
    page = show(html_of(materials.two_clusters()))
    uneven = page.locator("[data-number='uneven']")
    whole = uneven.inner_text()
    page.locator("[data-chip='1'] button").click()
    assert {name for name in _names(page) if int(name[1:]) % 2 == 0} == set()
    assert uneven.inner_text() == "4"
    assert page.locator("#clusters tbody tr:visible th").all_inner_texts() == ["test"]
    assert page.locator(".numbers .change:visible").count() == 0
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.locator("#findings li[data-c='0']:visible").count() == 0
    assert page.locator("#findings li[data-c='1']:visible").count() > 0
    page.locator("[data-chip='1'] button").click()
    assert uneven.inner_text() == whole
    assert page.locator("#clusters tbody tr:visible").count() == 2
    assert page.faults == []


def test_a_row_opens_and_a_link_to_it_lasts(show: Any) -> None:
    page = show(html_of(materials.two_clusters()))
    row = page.locator("#table tbody th a", has_text="g1").first
    row.focus()
    page.keyboard.press("Enter")
    assert row.get_attribute("aria-expanded") == "true"
    opened = page.locator(".opened")
    assert "4 → 2" in opened.inner_text()
    assert opened.locator(".track").count() == 2
    page.locator("#table tbody tr").last.evaluate("one => { location.hash = one.id; }")
    page.locator(".opened").nth(1).wait_for()
    assert _names(page)[-1] == "g39"
    page.reload()
    assert page.locator(".opened").count() == 1
    assert page.faults[1:] == []


def test_a_command_is_copied(show: Any) -> None:
    page = show(html_of(materials.material()), permissions=["clipboard-read", "clipboard-write"])
    page.locator(".copy").first.click()
    page.locator("text=Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "evenfleet explain store --cluster prod --group orders"


def test_values_at_an_instant_follow_the_pointer(show: Any) -> None:
    page = show(html_of(materials.with_a_past()))
    page.locator(".trend svg").first.hover(position={"x": 1, "y": 5})
    assert page.locator("#at").inner_text() == "2026-11-21 00:00"
    assert page.locator(".trend b").all_inner_texts() == ["1", "0", "0", "0"]


def test_it_prints_on_six_pages_at_most(show: Any) -> None:
    page = show(html_of(materials.two_clusters(300)))
    assert 1 <= page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") <= 6


def test_a_static_page_runs_no_script(show: Any) -> None:
    page = show(html_of(materials.two_clusters(), static=True))
    assert len(_names(page)) == 40
    page.locator("#details summary").first.click()
    assert page.locator("#details").get_by_text("What moves buy").is_visible()
    assert page.locator("script, button, input, select").count() == 0
    assert page.faults == []
