"""Reports in a browser: nothing is fetched, nothing fails, all can be reached and read."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
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

    def show(text: str, address: str = "", **context: Any) -> Any:
        (tmp_path / "report.html").write_text(text, "utf-8")
        contexts.append(browser.new_context(**{"viewport": WIDE} | context))
        page = contexts[-1].new_page()
        page.faults = []
        page.on("request", lambda item: page.faults.append(f"asks for {item.url}"))
        page.on("console", lambda item: page.faults.append(item.text))
        page.on("pageerror", lambda item: page.faults.append(str(item)))
        page.goto((tmp_path / "report.html").as_uri() + address)
        if 'type="module"' in text:
            page.locator("html.js").wait_for()
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
    cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
    assert page.locator("p, li, h3, summary, #groups .wide, #brokers .wide").evaluate_all(cut) == 0
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


def _head(page: Any, key: str) -> Any:
    return page.locator(f"#table thead th[data-key='{key}']")


def test_groups_are_sorted_searched_and_filtered_by_keyboard(show: Any) -> None:
    page = show(html_of(materials.two_clusters()))
    assert _names(page) == [f"g{at}" for at in range(25)]
    page.locator(".all").focus()
    page.keyboard.press("Enter")
    assert len(_names(page)) == 40
    _head(page, "moves").locator("button").focus()
    page.keyboard.press("Enter")
    assert _head(page, "moves").get_attribute("aria-sort") == "descending"
    assert _names(page)[:2] == ["g39", "g38"]
    page.locator("#search").focus()
    page.keyboard.type("g1?")
    assert page.locator("#matches").inner_text() == "10 of 40 groups"
    page.locator("[data-chip='1'] button").focus()
    page.keyboard.press("Space")
    assert _names(page) == ["g19", "g17", "g15", "g13", "g11"]
    page.locator("#kind").select_option("kind-2")
    assert _names(page) == ["g15"]


def test_all_is_reached_by_the_tab_key(show: Any) -> None:
    """In the order in which it stands on the page, and the focus can be seen."""
    page = show(html_of(materials.two_clusters(3)))
    focus = "document.activeElement"
    reached = []
    while not reached or page.evaluate(f"{focus} !== document.body"):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(f"{focus}.id || {focus}.textContent.trim()"))
        assert page.evaluate(f"{focus} === document.body || {focus}.matches(':focus-visible')")
    controls = ["prod", "test", "Details", "search", "kind", "group", "lag", "g0", "g1", "g2"]
    assert [*dict.fromkeys(name for name in reached if name in controls)] == controls


def _kind(at: int, severity: str) -> dict[str, str]:
    return {"finding": f"kind-{at}", "severity": severity}


def test_findings_are_sorted_by_severity_and_the_worst_is_named(show: Any) -> None:
    """Nine infos are less than a warning, and what isn't known comes last in both directions."""
    many = {"a": (3, ["info"] * 9), "b": (None, ["critical"]), "c": (0, ["warning", "info"])}
    rows = [
        materials.row(name, lag=lag, found=[*map(_kind, range(9), severities)])
        for name, (lag, severities) in many.items()
    ]
    rows.append(materials.row("d", max_load=None, status="empty", found=None))
    page = show(html_of(materials.material(groups=rows)))
    _head(page, "findings").locator("button").click()
    assert _names(page) == ["b", "c", "a", "d"]
    cell = page.locator("#table td[title*=kind]").nth(1)
    assert cell.inner_text().strip() == "kind-0 +1"
    assert cell.get_attribute("title") == "kind-0, kind-1"
    for expected in (["d", "a", "c", "b"], ["c", "a", "d", "b"]):
        _head(page, "lag").locator("button").click()
        assert _names(page) == expected
    for _ in range(2):
        _head(page, "load").locator("button").click()
        assert _names(page)[-1] == "d"


def test_the_search_finds_topics_hosts_and_members(show: Any) -> None:
    """A pasted member id too, of which the page has the first digits of the random end."""
    end = "3940-4fea-acc0-dbdc52df3c80"
    rows = [materials.row("one", names=[f"app-abcdef01-{end}"]), materials.row("three", loads=[])]
    page = show(html_of(materials.material(groups=rows)))
    searches = {
        **{"THREE.events": "three", "10.0.0.5": "three", "10.0.0.?": "three", "one-1": "one"},
        **{f"app-abcdef01-{end}": "one", "PROD": "one three", "three.*": "three", "nothing": ""},
    }
    for text, names in searches.items():
        page.locator("#search").fill(text)
        assert " ".join(_names(page)) == names, text


def test_groups_are_filtered_by_team(show: Any) -> None:
    rows = [
        materials.row(name, team=team) for name, team in (("a", "core"), ("b", "<i>"), ("c", None))
    ]
    page = show(html_of(materials.material(groups=rows)))
    page.locator("#team").select_option("<i>")
    assert _names(page) == ["b"]
    assert "team=%3Ci%3E" in page.evaluate("location.hash")
    assert _names(show(html_of(materials.material(groups=rows)), "#team=core")) == ["a"]


def test_the_address_has_what_is_shown_and_back_works(show: Any) -> None:
    """A link that was sent shows the same; one with what isn't there any more shows all."""
    text = html_of(materials.two_clusters())
    page = show(text)
    page.locator("[data-chip='1'] button").click()
    page.locator("#kind").select_option("kind-3")
    page.locator("#search").fill("g1")
    _head(page, "group").locator("button").click()
    page.locator("#table tbody th a:visible").first.click()
    names, address = _names(page), page.evaluate("location.hash")
    assert names == ["g1", "g11"]
    for part in ("cluster=test", "finding=kind-3", "q=g1", "sort=group", "row=g-"):
        assert part in address
    sent = show(text, address)
    assert (_names(sent), sent.locator(".opened").count()) == (names, 1)
    assert sent.locator("#search").input_value() == "g1"
    for _ in range(2):
        page.go_back()
    assert page.locator(".opened").count() == 0
    assert _head(page, "group").get_attribute("aria-sort") is None
    for _ in range(2):
        page.go_back()
    assert len(_names(page)) == 25
    assert page.locator("[aria-pressed=true]").count() == 0
    assert len(_names(show(text, "#cluster=gone&finding=gone&row=g-gone&sort=gone"))) == 25


def test_a_chip_changes_every_number_or_it_is_of_all_clusters(show: Any) -> None:
    made = materials.two_clusters()
    kinds = [item | {"finding": f"kind-{at % 2}"} for at, item in enumerate(made.findings[:6])]
    counts = [{"finding": f"kind-{at}", "critical": 3, "warning": 0, "info": 0} for at in range(2)]
    page = show(html_of(replace(made, findings=kinds, counts=counts)))
    uneven = page.locator("[data-number='uneven']")
    whole = uneven.inner_text()
    page.locator("[data-chip='1'] button").click()
    assert {name for name in _names(page) if int(name[1:]) % 2 == 0} == set()
    assert uneven.inner_text() == "4"
    assert page.locator(".of").first.inner_text() == " of 20"
    assert page.locator("#clusters tbody tr:visible th").all_inner_texts() == ["test"]
    prefix = "one => getComputedStyle(one, '::before').content"
    for of_all in (".verdict", ".numbers .change", "#strategies > p"):
        assert page.locator(of_all).first.evaluate(prefix) == '"All clusters: "'
    assert page.locator(".cards > li:visible h3").count() == 1
    assert page.locator(".kind:visible summary").all_inner_texts() == ["kind-1 3 critical"]
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.locator("#findings li[data-c='0']:visible").count() == 0
    assert page.locator("#findings li[data-c='1']:visible").count() == 3
    page.locator("[data-chip='1'] button").click()
    assert uneven.inner_text() == whole
    assert page.locator("#clusters tbody tr:visible").count() == 2
    assert page.locator(".verdict").evaluate(prefix) == "none"
    assert page.faults == []


def test_a_row_opens_and_a_link_to_it_shows_it_alone(show: Any) -> None:
    page = show(html_of(materials.two_clusters()))
    row = page.locator("#table tbody th a", has_text="g1").first
    row.focus()
    page.keyboard.press("Enter")
    assert row.get_attribute("aria-expanded") == "true"
    opened = page.locator(".opened")
    assert "4 → 2" in opened.inner_text()
    assert "Set partition.assignment.strategy" in opened.inner_text()
    assert opened.locator(".track").count() == 2
    page.locator("#table tbody tr").last.evaluate("one => { location.hash = one.id; }")
    page.locator(".all", has_text="Show the other groups").wait_for()
    assert _names(page) == ["g39"]
    page.reload()
    page.locator(".opened").wait_for()
    assert _names(page) == ["g39"]
    page.locator(".all").click()
    assert len(_names(page)) == 25
    assert page.faults[1:] == []


def test_show_on_a_card_keeps_the_cluster_and_shows_one_row(show: Any) -> None:
    made = materials.two_clusters()
    findings = [materials.finding(1, name="g1") | {"cluster": "test"}]
    page = show(html_of(replace(made, findings=findings)), "#cluster=test")
    page.get_by_role("link", name="Show g1").click()
    assert _names(page) == ["g1"]
    assert page.locator("[aria-pressed=true]").inner_text() == "test"
    assert page.locator("#table tbody th a:visible").evaluate(
        "one => one === document.activeElement"
    )
    page.get_by_role("link", name="Findings").click()
    assert "at=findings" in page.evaluate("location.hash")
    assert page.evaluate("document.activeElement.id") == "findings"


def test_heads_stay_in_sight(show: Any) -> None:
    page = show(html_of(materials.two_clusters()))
    page.locator("#table tbody tr").nth(20).evaluate("one => one.scrollIntoView({block: 'center'})")
    page.wait_for_timeout(500)
    assert -1 <= _head(page, "group").bounding_box()["y"] <= 1


def test_the_advice_is_on_a_phone(show: Any) -> None:
    page = show(html_of(materials.material()), viewport=PHONE)
    assert page.locator("#table tbody tr").first.get_by_text("cooperative-sticky").is_visible()


def test_a_command_is_copied(show: Any) -> None:
    page = show(html_of(materials.material()), permissions=["clipboard-read", "clipboard-write"])
    page.locator(".cards summary").first.click()
    page.locator(".copy").first.click()
    page.locator("text=Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "evenfleet explain store --cluster prod --group orders"


def test_values_at_an_instant_follow_the_pointer_and_the_arrows(show: Any) -> None:
    page = show(html_of(materials.with_a_past()))
    page.locator(".trend svg").first.hover(position={"x": 1, "y": 5})
    assert page.locator("#at").inner_text() == "2026-11-21 00:00"
    assert page.locator(".trend b").all_inner_texts() == ["1", "0", "0", "0"]
    assert page.locator(".axis span").all_inner_texts()[:2] == ["21 Nov", "01:00"]
    page.locator("#trend-lines").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#at").inner_text() == "2026-11-21 01:00"


def test_it_prints_on_six_pages_at_most(show: Any) -> None:
    page = show(html_of(materials.two_clusters(300)))
    assert 1 <= page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") <= 6


def test_a_static_page_runs_no_script(show: Any) -> None:
    page = show(html_of(materials.two_clusters(), static=True))
    assert len(_names(page)) == 40
    page.locator("#details summary").first.click()
    assert page.locator("#details").get_by_text("Gain by moves").is_visible()
    assert page.locator("script, button, input, select").count() == 0
    assert page.faults == []
