"""Where a plan comes from: its file, and where that is read."""

import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import jsonschema
import pytest

from optimizer.assignor import source
from optimizer.assignor.plan_file import GroupPlan
from optimizer.assignor.source import run_with_timeout, text_of, without_secrets
from tests.optimizer.assignor.plan_cases import answer, differences, read_cases
from tests.paths import ROOT


@contextmanager
def server(body: bytes = b"", status: int = 200, drips: bool = False) -> Iterator[str]:
    """A web server; one that drips sends a byte now and then, and never ends."""
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)
            while drips and not ended.wait(0.02):
                self.wfile.write(b" ")

        def log_message(self, *_: object) -> None:
            pass

    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=web.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{web.server_port}/plan?token=s3cret"
    finally:
        ended.set()
        web.shutdown()
        web.server_close()


def test_a_file_and_a_url(tmp_path: Path) -> None:
    (tmp_path / "plan").write_bytes(b"text")
    assert text_of(str(tmp_path / "plan"), 5) == b"text"
    with server(b"text") as url:
        assert text_of(url, 5) == b"text"


def test_a_server_that_drips_is_given_up() -> None:
    """Each of its bytes is in time, all together never."""
    with server(drips=True) as url, pytest.raises(TimeoutError, match=r"longer than 0\.2 s"):
        text_of(url, 0.2)


def test_a_server_that_has_none() -> None:
    with server(status=404) as url, pytest.raises(OSError, match="404"):
        text_of(url, 5)


def test_a_text_without_end_is_not_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LIMIT", 100)
    with server(b"x" * 101) as url, pytest.raises(ValueError, match="more than 100 bytes"):
        text_of(url, 5)


def test_a_password_in_a_url_is_neither_used_nor_printed() -> None:
    url = "http://someone:s3cret@127.0.0.1:1/plan"
    with pytest.raises(ValueError, match="user or a password") as refused:
        text_of(url, 5)
    assert "s3cret" not in str(refused.value)
    assert without_secrets(url) == "http://127.0.0.1:1/plan"
    assert without_secrets("https://host/plan?token=s3cret#s3cret") == "https://host/plan"


def test_work_that_takes_too_long_is_left_behind() -> None:
    left = threading.Event()
    with pytest.raises(TimeoutError, match=r"longer than 0\.01 s"):
        run_with_timeout(0.01, lambda: left.wait(60))
    left.set()
    with pytest.raises(TimeoutError, match="its own"):
        run_with_timeout(5, lambda: (_ for _ in ()).throw(TimeoutError("its own")))
    assert run_with_timeout(5, lambda: 7) == 7


ID = "ERERESIiMzNERFVVVVVVVQ"
PLAN = GroupPlan(
    "prod",
    "g",
    "s1",
    {"b": {"t": [1, 2]}, "a": {"t": [0], "u": [0]}, "idle": {}},
    topic_ids={"t": ID},
    protocol="consumer",
    member_ids={"a": "a-1"},
)
SCHEMA = json.loads((ROOT / "docs" / "plan_file.schema.json").read_text())


def changed(**fields: object) -> str:
    return json.dumps({**json.loads(PLAN.to_text()), **fields})


def test_a_plan_survives_its_file() -> None:
    assert GroupPlan.from_text(PLAN.to_text().encode()) == PLAN
    assert PLAN.topics == {"t": 3, "u": 1}


@pytest.mark.parametrize("plan", [PLAN, GroupPlan("", "", "", {})])
def test_what_is_written_keeps_to_the_schema(plan: GroupPlan) -> None:
    jsonschema.validate(json.loads(plan.to_text()), SCHEMA)
    assert GroupPlan.from_text(plan.to_text()) == plan
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(changed(protocol="share")), SCHEMA)


def test_version_1_is_read() -> None:
    """What it lacks is left open, and what it has by chance of the same names isn't looked at."""
    old = json.dumps(
        {
            **{"format": "evenfleet-plan", "version": 1, "cluster": "prod", "group": "g"},
            **{"snapshot": "s1", "members": PLAN.members, "topic_ids": 7},
        }
    )
    assert GroupPlan.from_text(old) == GroupPlan("prod", "g", "s1", PLAN.members)
    jsonschema.validate(json.loads(old), SCHEMA)


def test_a_line_holds_a_member_so_that_diff_shows_what_changed() -> None:
    assert '  "b": {"t":[1,2]},' in PLAN.to_text().splitlines()


def test_names_may_be_anything() -> None:
    odd = GroupPlan("c", 'g"\n', "s", {"\u202e|=\\": {"\x1b[31m": [0]}})
    assert GroupPlan.from_text(odd.to_text()) == odd


def test_python_answers_as_the_cases_say(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "optimizer.live.plan_assignor")
    cases = read_cases()
    assert len(cases) >= 200
    assert {case["why"] is None for case in cases} == {True, False}
    assert [fault for case in cases for fault in differences(case, answer(case))] == []
