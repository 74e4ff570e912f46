"""Which stores a command opens by itself."""

from pathlib import Path
from typing import Any

import pytest

from spark.store import Folder, UnopenableError
from spark.terminal import StoreOptions
from spark.terminal.stores import default_fs

KEY = "spark.hadoop.fs.defaultFS"


@pytest.fixture(autouse=True)
def no_settings_of_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPARK_HOME", "SPARK_CONF_DIR", "HADOOP_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)


def test_the_file_system_of_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is stated wins over Spark's own file of settings, as it does in a session."""
    assert default_fs({}) == "file:"
    (file := tmp_path / "conf" / "spark-defaults.conf").parent.mkdir()
    file.write_text(f"# a comment\n\nspark.master yarn\n{KEY}   hdfs://here \n", encoding="utf-8")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert default_fs({}) == "hdfs://here"
    assert default_fs({KEY: "hdfs://there"}) == "hdfs://there"
    monkeypatch.setenv("SPARK_CONF_DIR", str(other := tmp_path / "other"))
    assert default_fs({}) == "file:"
    other.mkdir()
    (other / "spark-defaults.conf").write_text(f"{KEY}=viewfs://x", encoding="utf-8")
    assert default_fs({}) == "viewfs://x"


def test_who_is_asked(asked: list, run: object, tmp_path: Path) -> None:
    """Spark isn't; the configuration file's settings count as well as options."""
    (config := tmp_path / "settings.toml").write_text(f"[spark]\n'{KEY}' = 'nofs://here'\n")
    there: Any = [f"{KEY}=nofs://here"]
    for options in ({"conf": there}, {"config": config}):
        with (
            pytest.raises(UnopenableError, match=f"nofs://here{tmp_path} can't be opened"),
            StoreOptions(store=str(tmp_path), master="local[1]", **options).opener(),
        ):
            pass
    with StoreOptions(store=f"file:{tmp_path}", conf=there).opener() as opener:
        assert isinstance(opener, Folder)
    assert asked == []
