"""Plan files that went wrong on their way: python -m tests.optimizer.assignor.mutated_plans 10000.

Python's assignor and Java's are asked about each; they have to answer alike, whatever it is.
"""

from __future__ import annotations

import base64
import json
import logging
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence

from tests.optimizer.assignor.plan_cases import Case, answer, differences, read_cases
from tests.support.assignor_jar import assignor_jar, java

PIECES = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud800", b"\\u0000", b"0"),
    *(b"-", b"-0", b"1", b"00", b"1.0", b"1e2", b"9" * 20, b"true", b"null", b"NaN", b"{}"),
    *(b"[]", b'""', b'"t"', b'"a"', b"\n", b"\t", b"\x00", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80"),
    *(b"\xef\xbb\xbf", b'"version"', b'"members"', b'"topic_ids"', b'"protocol"', b"2", b"3"),
)


def mutated(count: int, seed: int = 19) -> Iterator[Case]:
    """Cases of sound plans, each with one to four changes in its file."""
    chance = random.Random(seed)
    sound = [case for case in read_cases() if case["why"] is None]
    for number in range(count):
        origin = chance.choice(sound)
        text = base64.b64decode(origin["plan"])
        for _ in range(chance.randint(1, 4)):
            text = _changed(chance, text)
        plan = base64.b64encode(text).decode()
        yield origin | {"name": f"{number} of {origin['name']}", "plan": plan}


def _changed(chance: random.Random, text: bytes) -> bytes:
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice([0, 0, 1, 1, 2, 8, 40]))
    match chance.randrange(5):
        case 0:
            return text[:start] + text[end:]
        case 1:
            return text[:start] + text[start:end] * 2 + text[end:]
        case 2:
            return text[:start] + bytes([chance.randrange(256)]) + text[end:]
        case 3:
            digits = [at for at, byte in enumerate(text) if chr(byte).isdigit()] or [0]
            at = chance.choice(digits)
            return text[:at] + str(chance.randrange(12)).encode() + text[at + 1 :]
        case _:
            return text[:start] + chance.choice(PIECES) + text[end:]


def java_answers(cases: Sequence[Case]) -> list[Case]:
    """What Java's assignor answers: one process for all."""
    built = assignor_jar()
    run = subprocess.run(
        [java(), "-XX:TieredStopAtLevel=1", "-cp", built.tests, "io.evenfleet.PlanCases"],
        input="".join(f"{json.dumps(case)}\n" for case in cases),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def disagreements(count: int, seed: int = 19) -> tuple[list[str], int]:
    """Sentences on each mutated plan that Java answers otherwise, and how many are used."""
    cases = list(mutated(count, seed))
    output = [answer(case) for case in cases]
    by_java = java_answers(cases)
    assert len(by_java) == len(cases)
    result = [
        difference
        for case, python, other in zip(cases, output, by_java, strict=True)
        for difference in differences(case | python | _unasked(case), other)
    ]
    return result, sum(python["why"] is None for python in output)


def _unasked(case: Case) -> Case:
    return {what: None for what in ("assignment", "first_round") if case[what] is None}


if __name__ == "__main__":
    logging.disable()
    differing, used = disagreements(int(sys.argv[1]))
    print("\n".join(differing[:20]))
    print(f"{len(differing)} of {sys.argv[1]} mutated plans differ; {used} are used")
