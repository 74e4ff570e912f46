"""How blanks of a finding's sentence are filled."""

import pytest

from spark.audit.finding import sentence
from spark.text import LONGEST


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("{it}", None, "?"),
        ("{it}", "{it} %s {", "{it} %s {"),
        ("{it}", 1200, "1,200"),
        ("{it:whole}", 1200, "1200"),
        ("{it:partition}", 1200, "1,200 partitions"),
        ("{it:static member}", 1, "1 static member"),
        ("{it:is|are}", 1, "is"),
        ("{it:is|are}", 0, "are"),
        ("{it:at least |}7", True, "at least 7"),
        ("{it:at least |}7", False, "7"),
        *(("{it:decimal}", 2.25, "2.3"), ("{it:decimal}", 0.05, "0.1"), ("{it:decimal}", 7, "7.0")),
        ("{it:decimal}", 1234.56, "1,234.6"),
        *(("{it:percent}", 0.99999, "99 %"), ("{it:percent}", 1.0, "100 %")),
        ("{it:hours}", 5400, "1.5"),
        ("{it:integer}", 1059.9, "1,059"),
        ("{it[0]}-{it[1]:partition}", ("orders", 2), "orders-2 partitions"),
        ("{it.real:partition}", 3, "3 partitions"),
    ],
)
def test_blank(template: str, value: object, text: str) -> None:
    assert sentence(template, {"it": value}) == text


def test_long_names_are_shortened_unless_they_are_whole() -> None:
    name = "n" * (LONGEST + 1)
    assert len(sentence("{name}", {"name": name})) < LONGEST
    assert sentence("{name:whole}", {"name": name}) == name
