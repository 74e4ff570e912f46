"""Names of clusters against the ids that clusters have themselves."""

from spark.sources.live.collect import mixed_up


def test_each_name_with_an_id_of_its_own_is_fine() -> None:
    assert [*mixed_up({"a": "1", "b": "2"}, {"a": "1", "c": "3"})] == []


def test_two_names_of_one_cluster_now_or_before() -> None:
    (now,) = mixed_up({"a": "1", "b": "1"}, {})
    assert now.startswith("2 clusters (a, b) are one cluster: its id is 1.")
    (renamed,) = mixed_up({"b": "1"}, {"a": "1"})
    assert renamed.startswith("2 clusters (a, b) are one cluster")


def test_one_name_of_two_clusters() -> None:
    (sentence,) = mixed_up({"a": "2"}, {"a": "1"})
    assert sentence == (
        "cluster a has the id 2 and had 1 before: one name for two clusters mixes up their history"
    )
