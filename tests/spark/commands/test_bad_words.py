"""What commands say to words that can't be: one line, exit code 2, and nothing is written."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from optimizer.assignor.plan_file import GroupPlan
from spark.enforce import PlanFolder
from spark.terminal import PlannedOptions
from tests.paths import DATA
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, is_one_line

IMPORT = (
    f"import-cli --cluster c --topics {DATA}/cli/topics.txt --groups {DATA}/cli/state.txt"
    " --out {h}/new"
)
POLICIES = {
    "[[policy]]\nkind = []": "a policy needs a kind, one of as-it-was, fixed",
    "[[policy]]\nkind = 'keda'\nlag = 3": "policy keda has no 'lag'",
    "[[policy]]\nkind = 'evenfleet'\ndrain_seconds = 1e-300": (
        "policy 'evenfleet': drain_seconds must be 1 or more"
    ),
    "[[policy]]\nkind = 'keda'\nscaleUp = 1": "scaleUp is 1 and must be a direction of behavior",
    "[[policy]]\nkind = 'keda'\ntolerance = 2": "policy 'keda': tolerance 2 is not 0 to 1",
    f"[[policy]]\nkind = 'keda'\nlagThreshold = '{'9' * 400}s'": (
        "99 and must be records, or '30s'"
    ),
    "[[policy]]\nkind = 'keda'\n[[policy]]\nkind = 'keda'": "two are called 'keda'",
    "[prices]\nrebalance = -1": "rebalance is -1 and must be a number of 0 or more",
    "policy = 3": "policy must be tables, each headed [[policy]]",
}

WITHOUT_SPARK = [
    ("play", "No such command 'play'"),
    ("audot", "Did you mean 'audit'? See evenfleet --help"),
    ("plan s --out o --speed 9", "No such option: --speed"),
    ("findings idle-member", "no finding 'idle-member'; did you mean idle-members?"),
    ("plan", "name a STORE"),
    ("plan --out o", "name a STORE, or --tables CATALOG.SCHEMA"),
    ("plan s --out", "'--out' requires an argument"),
    ("plan s --out o --format xml", "Invalid value for '--format'"),
    ("plan s --out o --strategy best", "unknown strategy 'best': choose one of optimal, range, "),
    ("plan s --out o --strategy rnage", "unknown strategy 'rnage'; did you mean range?"),
    ("plan s --out o --strategy Optimal", "'Optimal'; did you mean optimal?"),
    ("plan s --out o --format jsno", "'csv'; did you mean json? See evenfleet plan --help"),
    ("plan s p --out o", "Unexpected argument 'p': see evenfleet plan --help"),
    ("report s 1 2 --out o", "Unexpected argument '1': see evenfleet report --help"),
    ("plan s --out o --conf x", "--conf 'x' is not of the form KEY=VALUE"),
    ("plan s --out ''", "--out is empty: give it a value"),
    ("plan '' --out o", "an argument is empty: give it a value"),
    ("plan s --out o --config {h}/key.toml", "unknown key 'stratgy' (did you mean strategy?)"),
    ("plan {h}/nowhere --out {h}/o", "import or write one first"),
    ("plan {h}/nowhere --out {h}/o --snapshot all", "import or write one first"),
    (f"plan {{h}}/nowhere --out {{h}}/o --snapshot {SNAPSHOT}", "import or write one first"),
    ("compare s --out=", "--out is empty: give it a value"),
    ("compare s --out o --out-tables x", "--out and --out-tables name two places: leave one of"),
    ("compare s --out o --strategies range,best", "'best': choose one of current, optimal, range"),
    ("compare s --out o --strategies range,curent", "'curent'; did you mean current?"),
    ("verify s ''", "an argument is empty"),
    ("verify s", "name a PLAN, or --plan-tables CATALOG.SCHEMA"),
    ("verify s p --plan-tables x", "PLAN and --plan-tables name two places: leave one of them out"),
    ("verify s p --conf =x", "--conf '=x' is not of the form KEY=VALUE"),
    ("verify s p --config no.toml", "configuration no.toml can't be read"),
    ("explain --group g", "name a STORE, or --tables CATALOG.SCHEMA"),
    ("explain {h}/storr --group g", "no folder {h}/storr; did you mean {h}/store?"),
    ("explain {s} --group plane", "has no group 'plane'; did you mean plain?"),
    ("explain {s} --group plain --cluster wset", "has no cluster 'wset'; did you mean west?"),
    ("frontier {s} --group plane", "has no group 'plane'; did you mean plain?"),
    ("frontier {s} --group plain --cluster wset", "has no cluster 'wset'; did you mean west?"),
    ("frontier {s} --group even --weight bytes", "bytes"),
    ("simulate {s} --group plane", "has no group 'plane'; did you mean plain?"),
    ("simulate {s} --group app", "give a scenario: --scenario rolling-dep"),
    ("simulate {s} --group nobody --scenario rolling-deploy", "can't be simulated: it is empty"),
    ("simulate {s} --group app --scenario nowhere.toml", "nowhere.toml can't be read"),
    ("simulate {s} --group app --scenario {h}/leave.toml", "app can't have this scenario"),
    ("simulate {s} --group app --scenario {h}/rack.toml", "app can't have this scenario"),
    ("simulate {s} --group app --scenario {h}/jump.toml", "scenario"),
    (
        "rollout {s} --to cooperative-stiky",
        "target 'cooperative-stiky': give cooperative-sticky or",
    ),
    ("explain {s} plai*", "the name of one group: 'plai*' matches 1 group (plain)"),
    ("explain s a b c", "Unexpected argument 'b': see evenfleet explain --help"),
    ("frontier s a a", "Unexpected argument 'a': see evenfleet frontier --help"),
    ("collect", "give --out FOLDER for the store, and either --bootstrap HOST:PORT and --cluster"),
    ("import-cli", "--cluster, --topics, --out are missing"),
    ("demo --groups 0", "Invalid value for '--groups'"),
    ("collect --bootstrap b:1 --cluster '' --out o", "--cluster is empty"),
    ("collect --bootstrap b:1 --cluster ' ' --out o", "name is empty"),
    (
        "enforce {h}/plan --bootstrap h:1 --group order",
        "{h}/plan has no plan of a group 'order'; did you mean orders?",
    ),
    (
        "enforce {h}/plan --bootstrap h:1",
        "{h}/plan has plans for 2 clusters (c, d): choose one by --cluster, or give --clusters",
    ),
    ("graph s --question all", "'all' is not one of 'coupled-groups', 'reach', "),
    ("graph s --question reach --hub 2", "--hub doesn't apply to --question reach"),
    (
        "graph s --question competitors --cluster c",
        "--question competitors needs --group and --member",
    ),
    ("graph s --question components", "--question components needs --group"),
    ("audit store --tables x", "STORE and --tables name two places: leave one of them out"),
    ("audit s --fail critical", "No such option"),
    ("audit s --fail-on info", "'--fail-on': 'info' is not one of 'warning', 'critical'"),
    ("audit s --thresholds no.toml", "thresholds no.toml can't be read: No such file"),
    ("audit s --thresholds {h}", "can't be read: Is a directory"),
    ("audit s --thresholds {h}/torn.toml", "torn.toml is not TOML: "),
    (
        "audit s --thresholds {h}/faulty.toml",
        "faulty.toml: prometheus: worst_groups is -1 and must be a whole number of 0 or more; "
        "unbalanced: unknown key 'most' (known are info, warning, critical, least_info, "
        "least_warning, least_critical)",
    ),
    ("audit s --out {h}/torn.toml/out", "torn.toml is not a folder"),
    ("audit s --prometheus {h}/no/x.prom", "no/x.prom can't be written: "),
    ("audit s --prometheus {h}/x.txt", "takes files named *.prom alone; name it x.prom"),
    ("audit s --config no.toml", "configuration no.toml can't be read"),
    ("audit {h}/nowhere", "no folder {h}/nowhere: import or write one first"),
    ("audit {s} --snapshot 20261121T090000Z", "has no snapshot 20261121T090000Z"),
    ("snapshots --tables 'a b'", "'a b' can't be the name of a schema"),
    ("snapshots {h}/storr", "no folder {h}/storr; did you mean {h}/store?"),
    ("snapshots {h}/store", "store {h}/store has no snapshot: import or write one first"),
    ("snapshots {s} --keep-daily 1", "--keep-daily needs --prune with an age, such as --prune 90d"),
    ("snapshots {s} --no-dry-run", "--apply needs --prune or --compact: a list changes nothing"),
    ("snapshots {s} --prune 9x", "--prune: '9x' is not a duration (for example 24h)"),
    ("snapshots {s} --compact --since 9d", "--since and --files only list: leave them out with"),
    ("snapshots {s} --since 9x", "has no such snapshot, and it is not a duration such as 7d"),
    ("snapshots {s} --prune 9d --keep-daily 0", "--keep-daily"),
    ("rates {s} --out {h}/o --window '1 day'", "window: '1 day' is not a duration (for example"),
    ("rates {s} --out {h}/o --quantile 95", "Input should be less than or equal to 1"),
    ("members s --headroom 70", "--headroom 70 must be above 0 and at most 1"),
    ("members s --headroom 0", "--headroom 0 must be above 0"),
    ("members s --window day", "window: 'day' is not a duration (for example 24h)"),
    ("members s --metrics {h}", "{h}"),
    ("replay s --out {h}/o --strategies current,best", "unknown strategy 'best'"),
    ("whatif s", "give an event: --event crash-rack=eu-west-a"),
    ("whatif s --event explode=3", "unknown event 'explode'"),
    ("whatif s --event members=-3", "the number of members is -3, a negative number"),
    ("report s --out nowhere/r.html", "--out nowhere/r.html must be a file in a folder that"),
    ("report s --out {h}", "must be a file in a folder that exists"),
    (f"{IMPORT} --snapshot ../x", "'../x' can't be the id of a snapshot"),
    (f"{IMPORT} --infer guess", "Invalid value for '--infer'"),
    (f"{IMPORT} --groups missing.txt", "missing.txt"),
    (f"{IMPORT} --groups {{h}}/torn.toml", "torn.toml"),
    (f"{IMPORT} --topics {{h}}/torn.toml", "torn.toml"),
    *((f"scale s --policy {{h}}/{n}.toml", why) for n, why in enumerate(POLICIES.values())),
]

IN_THE_STORE = [
    ("plan {s} --out {h}/o --cluster north", "has no cluster 'north': it has 7 clusters ("),
    ("plan {s} --out {h}/o --cluster west --group x?", "no groups matching 'x?' of cluster west"),
    ("plan {s} --out {h}/o --group none*", "snapshot 20261121T060000Z has no groups matching"),
    ("plan {s} --out {h}/o --group z* --snapshot all", "no snapshot of store {s} has groups m"),
    ("plan {s} --out {h}/o --snapshot *", "has no snapshot *: the newest it has are 2026"),
    ("plan {s} --out {s}/", "holds a store already: choose another folder for a plan"),
    ("plan {s} --out {h}/torn.toml", "{h}/torn.toml can't be written: {h}/torn.toml is not a fold"),
    ("plan {s} --out file:{h}/torn.toml/o", "file:{h}/torn.toml/o can't be written: {h}/torn.toml"),
    ("plan {s} --out {s}/members", "is inside table members of the store {s}: choose a folder"),
    ("compare {s} --out {s}/offsets/x/y", "is inside table offsets of the store {s}: choose a"),
    ("compare {s} --out {h}/torn.toml/o", "{h}/torn.toml/o can't be written: {h}/torn.toml is not"),
    ("compare {s} --out {h}/o --snapshot {{x", "has no snapshot {x: the newest it has are 2026"),
    ("compare {s} --out {h}/o --group pay", "has no groups matching 'pay'"),
    ("audit {s} --out {s}/groups/snapshot=20261121T060000Z", "is inside table groups of the store"),
    ("audit {s} --snapshot *", "has no snapshot *"),
    ("audit {s} --group plane", "has no groups matching 'plane'; did you mean plain?"),
    ("history {s} --out {s}", "holds a store already"),
    ("history {s} --out {h}/o --since 'last week'", "'last week' is neither an id such as"),
    (
        "history {s} --out {h}/o --since 20261121T060000Z --until 20261121T050000Z",
        "--until 20261121T050000Z is before --since",
    ),
    ("history {s} --out {h}/o --since 20261121T090000Z", "has no whole snapshot in that time"),
    ("history {s} --out {h}/o --cluster x", "no snapshot of that time has 'x': there is 7 clu"),
    ("history {s} --out {h}/o --group x?", "no snapshot of that time has groups matching 'x?'"),
    ("rates {s} --out {h}/o --window 30m", "a window of 30m holds one snapshot of each cluster"),
    ("rates {s} --out {h}/o --until 2020", "has no whole snapshot in that time"),
    ("members {s} --group x", "has no groups matching 'x'"),
    ("members {s} --split orders --commits", "leave out --commits and --metrics"),
    ("members {h}/small --split orderz", "subscribes to topic orderz; did you mean orders?"),
    ("replay {s} --out {h}/o --until 20251121T000000Z", "has no whole snapshot in that time"),
    ("whatif {s} --event leave=zz --cluster d", "leave=zz doesn't apply to any of 2 groups: "),
    ("whatif {h}/small --event crash-rack=r9 --group g", "doesn't apply to the group: no member"),
    ("whatif {h}/small --event crash-host=mars", "no member is on host mars; the snapshot"),
    ("scale {s} --since 20261121T060000Z", "is not before the snapshot 20261121T060000Z"),
    ("report {h}/small --out {h}/r.html --audit {h}/none", "has no table findings"),
    ("report {h}/small --out {h}/r.html --history {h}/none", "has no history up to snapshot"),
    ("report {h}/small --out {h}/r.html --plan {h}/none", "has no table groups"),
    ("report {h}/small --out {h}/r.html --group x", "has no groups matching 'x'"),
    ("verify {s} {h}/plam", "no folder {h}/plam; did you mean {h}/plan?"),
    ("verify {s} {h}/store", "plan {h}/store is empty: write it with `evenfleet plan`"),
    ("verify {s} {s}", "the plan can't be checked: its table assignments lacks the column "),
]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files that can't be what they are named as, and a plan in force."""
    folder = tmp_path_factory.mktemp("words")
    step = '[[step]]\nat = "1s"\nevent = "{}"\n'
    texts = {
        **{"torn": "[unbalanced", "key": "stratgy = 'range'\n"},
        "faulty": "[unbalanced]\nmost = 1\n[prometheus]\nworst_groups = -1",
        **{"leave": step.format("leave=nobody"), "rack": step.format("crash-rack=mars")},
        "jump": step.format("jump=3"),
        **dict(zip(map(str, range(len(POLICIES))), POLICIES, strict=True)),
    }
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    (folder / "store").mkdir()
    small = Fleet().topic("orders", 2).group("g", {"a": ["orders"], "b": ["orders"]})
    small.group("nobody", {}).store(folder / "small")
    plans = PlanFolder(folder / "plan")
    plans.put(GroupPlan("c", "orders", SNAPSHOT, {"a": {"paid": [0]}}))
    plans.put(GroupPlan("d", "refunds", SNAPSHOT, {"a": {"paid": [0]}}))
    plans.finish(SNAPSHOT, [])
    return folder


def check(run: Run, words: str, sentence: str, store: Path, here: Path) -> None:
    before = sorted(here.rglob("*")), sorted(store.rglob("*"))
    output = run(*(word.format(s=store, h=here) for word in shlex.split(words)))
    *notes, error = output.err.splitlines(keepends=True)
    assert (output.code, is_one_line(output._replace(err=error))) == (2, True), output.err
    assert all(note.startswith(("Skipped: ", "2 clusters (")) for note in notes)
    filled = sentence.replace("{s}", str(store)).replace("{h}", str(here))
    assert filled in error
    assert (sorted(here.rglob("*")), sorted(store.rglob("*"))) == before


@pytest.mark.parametrize(("words", "sentence"), WITHOUT_SPARK)
def test_it_shows_before_spark_starts(
    run: Run, asked: list[Any], torture: Path, here: Path, words: str, sentence: str
) -> None:
    check(run, words, sentence, torture, here)
    assert asked == []


@pytest.mark.parametrize(("words", "sentence"), IN_THE_STORE)
def test_it_shows_in_the_store(
    run: Run, torture: Path, here: Path, words: str, sentence: str
) -> None:
    check(run, words, sentence, torture, here)


def test_with_tables_the_argument_is_the_plan() -> None:
    assert PlannedOptions(store="plan", tables="lake").plan_place == "plan"
    assert PlannedOptions(store="store", plan_tables="results").where == "store"
