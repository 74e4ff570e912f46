"""Which type of column stands for which."""

import pytest
from pyspark.sql import types as t

from spark.fleet.schemas import TABLES, misfit

INT, LONG, SHORT, TEXT = t.IntegerType(), t.LongType(), t.ShortType(), t.StringType()
REAL, FLOAT, FLAG = t.DoubleType(), t.FloatType(), t.BooleanType()
DECIMAL, DATE, NOTHING = t.DecimalType(10, 2), t.DateType(), t.NullType()


FITS = {
    INT: (INT, LONG, SHORT, NOTHING),
    LONG: (INT, LONG, SHORT),
    REAL: (REAL, FLOAT, DECIMAL, INT, LONG),
    t.ArrayType(INT): tuple(t.ArrayType(kind) for kind in (INT, LONG, NOTHING)),
    TEXT: (TEXT,),
    FLAG: (FLAG,),
}
MISFITS = {
    INT: (TEXT, REAL, FLAG, DECIMAL, t.ArrayType(INT)),
    TEXT: (INT, DATE, t.BinaryType()),
    REAL: (TEXT, FLAG),
    FLAG: (TEXT, INT),
    t.ArrayType(INT): (INT, TEXT, t.ArrayType(TEXT)),
}


@pytest.mark.parametrize("wanted", FITS)
def test_what_stands_for_a_type(wanted: t.DataType) -> None:
    assert [kind for kind in FITS[wanted] if misfit(kind, wanted)] == []
    others = MISFITS.get(wanted, ())
    assert [kind for kind in others if misfit(kind, wanted)] == [*others]


def test_keys_are_required() -> None:
    for table in TABLES.values():
        assert table.keys
        assert all(column.required for column in table.columns if column.key)
