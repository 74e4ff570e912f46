"""Which stores a command opens by itself."""

from pathlib import Path

import pytest

from spark.settings import Settings
from spark.store import Folder, UnopenableError
from spark.terminal.openers import default_fs, opened_store

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
    for conf, settings in (
        ([f"{KEY}=nofs://here"], Settings()),
        (None, Settings(spark={KEY: "nofs://here"})),
    ):
        with (
            pytest.raises(UnopenableError, match=f"nofs://here{tmp_path} can't be opened"),
            opened_store(str(tmp_path), "local[1]", conf, settings),
        ):
            pass
    with opened_store(f"file:{tmp_path}", None, [f"{KEY}=nofs://here"], Settings()) as opener:
        assert isinstance(opener, Folder)
    assert asked == []
