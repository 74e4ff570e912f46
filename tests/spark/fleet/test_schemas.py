"""Which type of column stands for which."""

import pytest
from pyspark.sql import types as t

from spark.fleet.schemas import TABLES, misfit

INT, LONG, SHORT, TEXT = t.IntegerType(), t.LongType(), t.ShortType(), t.StringType()
REAL, FLOAT, FLAG = t.DoubleType(), t.FloatType(), t.BooleanType()
DECIMAL, DATE, NOTHING = t.DecimalType(10, 2), t.DateType(), t.NullType()


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        *[(kind, INT) for kind in (INT, LONG, SHORT, NOTHING)],
        *[(kind, LONG) for kind in (INT, LONG, SHORT)],
        *[(kind, REAL) for kind in (REAL, FLOAT, DECIMAL, INT, LONG)],
        *[(t.ArrayType(kind), t.ArrayType(INT)) for kind in (INT, LONG, NOTHING)],
        (TEXT, TEXT),
        (FLAG, FLAG),
    ],
)
def test_fits(found: t.DataType, wanted: t.DataType) -> None:
    assert not misfit(found, wanted)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        *[(kind, INT) for kind in (TEXT, REAL, FLAG, DECIMAL, t.ArrayType(INT))],
        *[(kind, TEXT) for kind in (INT, DATE, t.BinaryType())],
        *[(kind, REAL) for kind in (TEXT, FLAG)],
        *[(kind, FLAG) for kind in (TEXT, INT)],
        *[(kind, t.ArrayType(INT)) for kind in (INT, TEXT, t.ArrayType(TEXT))],
    ],
)
def test_does_not_fit(found: t.DataType, wanted: t.DataType) -> None:
    assert misfit(found, wanted)


def test_keys_are_required() -> None:
    for table in TABLES.values():
        assert table.keys
        assert all(column.required for column in table.columns if column.key)
