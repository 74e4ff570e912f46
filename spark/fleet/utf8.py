"""Names that aren't valid UTF-8: told apart, and spelled so that everybody can read them.

Spark's strings are any bytes, and nobody checks those of a Parquet file. Java puts U+FFFD in place
of what it can't decode, so that two names may become one; Arrow hands them to Python as they are,
which ends the job. Names are escaped before they leave Spark.
"""

from collections.abc import Iterable
from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame, functions as F, types as t

from spark.patterns import beginning, like
from spark.store import ValueFilter

_HIGH, _AFTER = r"[\u0080-\u00FF]", r"[\u0080-\u00BF]"

_PIECES = "|".join(
    (
        r"[\u0000-\u007F]+",
        rf"[\u00C2-\u00DF]{_AFTER}",
        rf"\u00E0[\u00A0-\u00BF]{_AFTER}",
        rf"[\u00E1-\u00EC\u00EE\u00EF]{_AFTER}{{2}}",
        rf"\u00ED[\u0080-\u009F]{_AFTER}",
        rf"\u00F0[\u0090-\u00BF]{_AFTER}{{2}}",
        rf"[\u00F1-\u00F3]{_AFTER}{{3}}",
        rf"\u00F4[\u0080-\u008F]{_AFTER}{{2}}",
        _HIGH,
    )
)
"""The well-formed sequences of the Unicode standard (table 3-7) as characters of ISO-8859-1, each
of which is a byte; and any byte that isn't part of one."""


def escape(text: str) -> str:
    r"""SQL text: the value of `text`, as it is if it is valid UTF-8 (or null).

    If not, bytes that don't belong to a character are spelled like \xe9 (Python's
    `backslashreplace`), and backslashes doubled: no two such values are spelled alike. Only a valid
    name that has such a backslash itself can be the same.
    """
    pieces = f"regexp_extract_all(decode(cast({text} as binary), 'ISO-8859-1'), r'({_PIECES})', 1)"
    as_text = (
        f"transform({pieces}, piece -> if(piece rlike r'^{_HIGH}$', "
        r"concat(r'\x', translate(hex(encode(piece, 'ISO-8859-1')), 'ABCDEF', 'abcdef')), "
        r"replace(decode(encode(piece, 'ISO-8859-1'), 'UTF-8'), r'\', r'\\')))"
    )
    return f"if(is_valid_utf8({text}) = false, array_join({as_text}, ''), {text})"


def spell(name: bytes) -> str:
    """A name as SQL's `escape` spells it, of its bytes."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def escaped_rows(rows: DataFrame) -> DataFrame:
    """Rows with all their strings, and those in arrays, escaped."""
    columns = []
    for field in rows.schema:
        name = f"`{field.name}`"
        if isinstance(field.dataType, t.StringType):
            columns.append(f"{escape(name)} as {name}")
        elif isinstance(field.dataType, t.ArrayType) and isinstance(
            field.dataType.elementType, t.StringType
        ):
            columns.append(f"transform({name}, one -> {escape('one')}) as {name}")
        else:
            columns.append(name)
    return rows.selectExpr(*columns)


def names_wanted(names: Iterable[str], null: bool = False) -> ValueFilter:
    """A filter of names, as `escape` spells them, for files read here; and null if `null`."""
    texts = list(names)
    odd = frozenset(name for name in texts if "\\" in name)
    raw = frozenset(name.encode("utf-8", "surrogateescape") for name in texts)
    return ValueFilter(raw, (lambda value: spell(value) in odd) if odd else None, null)


def is_named(column: str, names: Iterable[str]) -> Column:
    """Whether a column's value is one of these names, as `escape` spells it.

    Of names without a backslash Parquet's statistics can tell which files have them.
    """
    texts = list(names)
    condition = F.col(column).isin(*texts)
    if odd := [name for name in texts if "\\" in name]:
        condition |= F.expr(escape(f"`{column}`")).isin(*odd)
    return condition


def is_like(column: str, pattern: str) -> Column:
    """Whether a column's value, as `escape` spells it, fits a pattern of `spark.patterns`.

    Of what stands before the first `*` or `?` Parquet's statistics can tell which files have it.
    """
    literal = beginning(pattern)
    if literal == pattern:
        return is_named(column, [pattern])
    fits = F.like(F.expr(escape(f"`{column}`")), F.lit(like(pattern)), F.lit("!"))
    return fits if "\\" in literal else F.col(column).startswith(literal) & fits


def is_one_of(groups: Iterable[tuple[str, str]]) -> Column:
    """Whether a row is about one of these (cluster, group), spelled as they are in results."""
    is_it = [is_named("cluster", [cluster]) & is_named("group", [name]) for cluster, name in groups]
    return reduce(or_, is_it, F.lit(False))
