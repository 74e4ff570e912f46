"""Long names are shown short, and each stays its own."""

from spark.text import LONGEST, LONGEST_SENTENCE, list_of, shorten, shortened_in

LONG = "a" * 100_000
ALIKE = LONG[:50_000] + "b" + LONG[50_001:]
UNLIKE = "é€😀" * 40_000
NAMES = ("", "orders", "x" * LONGEST, "x" * (LONGEST + 1), LONG, ALIKE, UNLIKE, "a name " * 999)


def test_names_are_counted_and_the_first_told() -> None:
    assert list_of("group", "a") == "1 group (a)"
    assert list_of("group", "cbab") == "3 groups (a, b, c)"
    assert list_of("group", "abcdef") == "6 groups (a, b, c, d, e, …)"


def test_names_are_whole_but_long_ones_are_their_ends_and_a_hash() -> None:
    assert shorten(LONG) == f"{'a' * 160}…{'a' * 60} #6d1cf22d"
    assert [shorten(name) for name in NAMES[:3]] == [*NAMES[:3]]
    short = {shorten(name) for name in NAMES}
    assert len(short) == len(NAMES)
    assert max(map(len, short)) <= LONGEST
    assert shorten("\ud800" * 999) != shorten("\ud801" * 999)


def test_sentences_keep_their_words_and_lose_those_of_long_names() -> None:
    output = f"Group '{LONG}' of cluster {ALIKE}: " + "it is well. " * 20
    short = shortened_in(output)
    assert short.startswith("Group 'aaa") and short.endswith(output[-240:])
    assert len(short) < 2 * LONGEST + 300
    assert shortened_in(output) != shortened_in(output.replace(LONG, ALIKE))
    assert shortened_in("it is well. " * 100) == "it is well. " * 100
    assert len(shortened_in("a name " * 9_999)) < LONGEST_SENTENCE
