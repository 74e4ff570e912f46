"""Who may import whom: the walls of the house (docs/house.md), held over every file."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.paths import PACKAGES, ROOT, nodes_of, tree_of

KAFKA = "optimizer.strategies.kafka"
OPTIMIZER = ("optimizer.model", "optimizer.solver", "optimizer.checker", "optimizer.reasons")
BASE = (
    *("spark.errors", "spark.memory_limits", "spark.patterns", "spark.text"),
    *("spark.unpersist_handle", "spark.notebook", "spark.glossary", "spark.metrics_text"),
)
FLEET = (*BASE, "spark.store", "spark.fleet", "spark.toml", "spark.settings")
WORKERS = (
    *(*FLEET, "spark.groups", "spark.solve", *OPTIMIZER, "optimizer.strategies"),
    "optimizer.advice",
)
TRIAL = (*WORKERS, "optimizer.coordinator", "optimizer.scenarios")
CAPABILITIES = (
    "spark.plan",
    "spark.explain",
    "spark.compare",
    "spark.verify",
    "spark.audit",
    "spark.graph",
    "spark.replay",
    "spark.members",
    "spark.report",
    "spark.whatif",
    "spark.rollout",
    "spark.simulate",
    "spark.reassign",
    "spark.frontier",
    "spark.scale",
    "spark.serve",
)
SOURCES = ("spark.sources", "spark.sources.kafka_text", "spark.sources.live")
LIBRARY = (
    *FLEET,
    "spark.history",
    "spark.charts",
    *CAPABILITIES,
    *SOURCES,
    "spark.enforce",
    "spark.demo",
)

ROOMS: dict[str, tuple[str, ...]] = {
    "optimizer.model": (),
    "optimizer.process_copy": (),
    "optimizer.flow": ("optimizer.model", "optimizer.process_copy"),
    "optimizer.solver": ("optimizer.model", "optimizer.flow"),
    "optimizer.checker": ("optimizer.model",),
    "optimizer.reasons": ("optimizer.model", "optimizer.checker"),
    "optimizer.sizes": ("optimizer.model", "optimizer.flow", "optimizer.solver"),
    "optimizer.settings": ("optimizer.strategies",),
    "optimizer.processes": ("optimizer.settings",),
    "optimizer.scenarios": (
        *("optimizer.model", "optimizer.strategies", "optimizer.settings", "optimizer.processes"),
    ),
    "optimizer.replicas": ("optimizer.flow",),
    "optimizer.replicas.baselines": ("optimizer.replicas", KAFKA),
    KAFKA: ("optimizer.model",),
    "optimizer.strategies.connect": ("optimizer.model", KAFKA),
    "optimizer.strategies.range": ("optimizer.model", KAFKA),
    "optimizer.strategies.sticky": ("optimizer.model", KAFKA),
    "optimizer.strategies.uniform": ("optimizer.model", KAFKA),
    "optimizer.strategies": (
        *("optimizer.model", "optimizer.solver", "optimizer.checker", KAFKA),
        *(f"optimizer.strategies.{item}" for item in ("connect", "range", "sticky", "uniform")),
    ),
    "optimizer.coordinator": (
        *("optimizer.model", "optimizer.scenarios", "optimizer.strategies"),
        *("optimizer.settings", "optimizer.processes"),
        KAFKA,
    ),
    "optimizer.scaling": ("optimizer.model", "optimizer.strategies", "optimizer.coordinator"),
    "optimizer.assignor": ("optimizer",),
    # which groups follow a plan is told by its assignors' names
    "optimizer.advice": (*OPTIMIZER, "optimizer.strategies", "optimizer.assignor"),
    "optimizer.live": ("optimizer.assignor",),
    "optimizer": (*OPTIMIZER, "optimizer.strategies"),
    "spark.errors": (),
    "spark.memory_limits": (),
    "spark.startup": (),
    "spark.frames": FLEET,
    "spark.patterns": ("optimizer.model",),
    "spark.text": (),
    "spark.unpersist_handle": (),
    "spark.notebook": ("spark.text",),
    "spark.glossary": (),
    "spark.metrics_text": ("spark.errors", "spark.text"),
    "spark.store": BASE,
    "spark.fleet": (*BASE, "spark.store", "optimizer.model"),
    "spark.toml": ("spark.errors", "spark.text", "spark.store"),
    "spark.settings": (
        *(*BASE, "spark.store", "spark.fleet", "spark.toml"),
        *("optimizer", "optimizer.coordinator", "optimizer.model"),
        "optimizer.strategies",
    ),
    "spark.groups": (
        *(*BASE, "spark.store", "spark.fleet"),
        *("optimizer.model", "optimizer.strategies", "optimizer.process_copy"),
    ),
    "spark.solve": (*FLEET, "spark.groups", *OPTIMIZER, "optimizer.strategies", "optimizer.advice"),
    "spark.history": (*WORKERS, "spark.charts", "spark.frames"),
    "spark.trial": (*TRIAL, "spark.history"),
    **dict.fromkeys(CAPABILITIES, (*WORKERS, "spark.history", "spark.charts")),
    "spark.audit": (*WORKERS, "spark.history", "spark.charts", "spark.frames"),
    # a plan explains its groups
    "spark.plan": (*WORKERS, "spark.history", "spark.charts", "spark.explain"),
    "spark.members": (*WORKERS, "spark.history", "optimizer.sizes", "optimizer.coordinator"),
    "spark.scale": (
        *(*WORKERS, "spark.history", "spark.charts"),
        *("optimizer.coordinator", "optimizer.scaling"),
    ),
    "spark.charts": (*BASE, "spark.store"),
    # a report gathers from the others
    "spark.report": (
        *(*WORKERS, "spark.history", "spark.charts", "optimizer.scenarios", "spark.audit"),
        *("spark.compare", "spark.explain", "spark.frontier", "spark.plan", "spark.reassign"),
        *("spark.simulate", "spark.scale"),
    ),
    **dict.fromkeys(
        ("spark.compare", "spark.replay"),
        (*WORKERS, "spark.history", "spark.charts", "spark.trial"),
    ),
    **dict.fromkeys(("spark.whatif", "spark.rollout"), (*TRIAL, "spark.history", "spark.trial")),
    "spark.simulate": (*TRIAL, "spark.charts", "spark.trial"),
    "spark.reassign": (
        *(*FLEET, "spark.groups"),
        *("optimizer.replicas", "optimizer.replicas.baselines"),
    ),
    **dict.fromkeys(SOURCES, FLEET),
    "spark.enforce": (*FLEET, "spark.sources.live", "optimizer.assignor"),
    "spark.demo": (*FLEET, "optimizer", "optimizer.model"),  # a made-up group is arrays at once
    "spark": LIBRARY,
    "spark.terminal": (*("spark", *LIBRARY, "spark.startup", "optimizer", "optimizer.assignor"),),
    "spark.jobs": (
        *("spark", *LIBRARY, "spark.terminal", "optimizer", "optimizer.assignor"),
        *("optimizer.scenarios", "optimizer.replicas", "spark.trial"),
    ),
    "spark.cli": ("spark", *BASE, "spark.startup", "spark.terminal", "spark.jobs"),
    "evenfleet": ("optimizer", "optimizer.assignor", "spark", "spark.terminal", "spark.cli"),
}
"""Each room, and the rooms that it may import; files that stand in no folder are rooms as well."""

FOR_ALL = "optimizer.figures"
"""How numbers are written: the same in every room."""

WITHOUT_FACE = (
    *("optimizer.assignor", "spark.sources", "spark.sources.live", "spark.enforce"),
    *("spark.jobs", "spark.toml", "spark.startup"),
)
"""Rooms whose modules are imported one by one: their face would load what not everybody has."""

DERIVED = (
    *("Classes", "RackTable", "classes_of", "least_spread", "measure", "rack_table_of"),
    *("spread_of", "worst_topic_share"),
)
"""What `optimizer.model` derives for the solver; the checker derives the like by itself."""

NEEDS = {
    "ortools": ("optimizer/flow/or_tools.py",),
    "kafka": (
        *("optimizer/assignor/plan_assignor.py", "optimizer/assignor/fallback.py"),
        *("spark/sources/live/", "spark/enforce/rebalance.py", "spark/enforce/moves.py"),
    ),
    "graphframes": ("spark/graph/fleet_graph.py",),
    "pyspark": ("spark/", "evenfleet/"),
    "pandas": ("spark/",),
    "pyarrow": ("spark/",),
    "pydantic": (
        *("spark/toml/tables.py", "spark/settings/config_file.py"),
        *("spark/audit/thresholds_file.py", "spark/scale/scale_file.py"),
        "spark/sources/live/clusters_file.py",
    ),
    "polars": ("spark/history/", "spark/audit/", "spark/frames.py"),
    "typer": ("spark/terminal/", "spark/jobs/", "spark/cli.py"),
    "altair": ("spark/charts/drawing.py",),
    "vl_convert": ("spark/charts/drawing.py",),
    "jinja2": ("spark/report/html.py",),
    "starlette": ("spark/serve.py",),
    "uvicorn": ("spark/jobs/serve.py",),
    "rich": ("spark/terminal/", "spark/jobs/", "spark/cli.py"),
}
"""Where a package may be imported, as the beginnings of paths."""


def own_name(file: str) -> str:
    """The module that a file of the house is."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def room_of(module: str) -> str:
    """The innermost room that a module stands in."""
    return max((room for room in ROOMS if f"{module}.".startswith(f"{room}.")), key=len)


def imports_in(path: Path) -> Iterator[tuple[int, str, str | None]]:
    """Line, module and name of each import; the name is None where a module is imported whole."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, None
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.lineno, "." * node.level + (node.module or ""), alias.name


def files_of(root: Path) -> list[Path]:
    return sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))


def faults_of(root: Path) -> list[str]:
    """A sentence for each import that breaks a rule: file, line, and the rule."""
    return [
        f"{path.relative_to(root)}:{line}: {fault}"
        for path in files_of(root)
        for line, fault in _faults_of_file(path, path.relative_to(root).as_posix())
    ]


def _absolute(module: str, file: str) -> str:
    """What `..name` means in a file."""
    if not module.startswith("."):
        return module
    name = module.lstrip(".")
    folders = file.split("/")[: -(len(module) - len(name))]
    return ".".join([*folders, *([name] if name else [])])


def _faults_of_file(path: Path, file: str) -> Iterator[tuple[int, str]]:
    room = room_of(own_name(file))
    for line, values, name in imports_in(path):
        module = _absolute(values, file)
        package = module.partition(".")[0]
        if package not in PACKAGES:
            if not file.startswith(NEEDS.get(package, "")):
                yield line, f"{package} is imported by {' and '.join(NEEDS[package])} alone"
            continue
        target = room_of(module)
        # `from spark import terminal` names a room as well
        if name and f"{module}.{name}" in ROOMS and f"{module}.{name}" not in WITHOUT_FACE:
            module = target = f"{module}.{name}"
        if target == room or module == FOR_ALL:
            continue
        if target not in ROOMS[room]:
            entries = ", ".join(ROOMS[room]) or "no other room"
            yield line, f"{room} may not import {target}, but {entries}"
        elif module != target and target not in WITHOUT_FACE:
            yield line, f"{module} is inside a room: import from {target}"
        elif room == "optimizer.checker" and name in DERIVED:
            yield line, f"the checker may not use {name}, which the solver goes by"


def test_every_import_keeps_to_the_table() -> None:
    assert faults_of(ROOT) == []


@pytest.mark.parametrize(
    ("file", "planted", "rule"),
    [
        (
            "optimizer/checker/check.py",
            "from optimizer.solver import solve",
            "optimizer.checker may not import optimizer.solver, but optimizer.model",
        ),
        (
            "optimizer/checker/proof.py",
            "from optimizer.model import classes_of",
            "the checker may not use classes_of, which the solver goes by",
        ),
        (
            "optimizer/solver/solve.py",
            "import ortools.graph.python.max_flow",
            "ortools is imported by optimizer/flow/or_tools.py alone",
        ),
        (
            "spark/audit/parts.py",
            "from spark.compare import fleet_of",
            "spark.audit may not import spark.compare, but ",
        ),
        (
            "spark/solve/solve.py",
            "from spark.groups.facts import read_topics",
            "spark.groups.facts is inside a room: import from spark.groups",
        ),
        ("spark/fleet/store.py", "import rich", "rich is imported by spark/terminal/"),
        (
            "optimizer/checker/proof.py",
            "from ..solver import solve",
            "optimizer.checker may not import optimizer.solver, but optimizer.model",
        ),
    ],
)
def test_a_forbidden_import_is_named(tmp_path: Path, file: str, planted: str, rule: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    sound = (ROOT / file).read_text(encoding="utf-8")
    path.write_text(f"{sound}\n\ndef late() -> None:\n    {planted}\n")
    line = len(path.read_text(encoding="utf-8").splitlines())
    (fault,) = faults_of(tmp_path)
    assert fault.startswith(f"{file}:{line}: {rule}")


def test_no_files_import_each_other_in_a_circle() -> None:
    """Nor for types alone; faces, which hand names on, don't count."""
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in files_of(ROOT)
        if path.name != "__init__.py"
    }
    imported = {
        name: {
            item
            for _, module, what in imports_in(path)
            for item in (module, f"{module}.{what}")
            if item in files
        }
        for name, path in files.items()
    }
    TopologicalSorter(imported).prepare()  # CycleError names the files


def test_every_room_has_a_charter() -> None:
    """A folder says in a line what it is for, and what outsiders may use of it."""
    for folder in {path.parent for path in files_of(ROOT)}:
        face = tree_of(folder / "__init__.py")
        assert ast.get_docstring(face), folder


KAFKAS_TOOLS = ("spark/sources/kafka_text/", "spark/audit/findings/")
"""Where options of Kafka's own tools are named, in advice and in what is read."""


def sentences_in(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each string that isn't a docstring."""
    documents = {id(node.value) for node in nodes_of(path) if isinstance(node, ast.Expr)}
    for node in nodes_of(path):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in documents:
            yield node.lineno, node.value


def test_the_library_names_no_option_of_a_command() -> None:
    """Whoever calls it from a notebook has none; `--packages` is Spark's own."""
    named = [
        f"{file}:{line}: {option}"
        for path in files_of(ROOT)
        if room_of(own_name(file := path.relative_to(ROOT).as_posix()))
        not in ("spark.startup", "spark.terminal", "spark.jobs", "spark.cli")
        and not file.startswith(KAFKAS_TOOLS)
        for line, sentence in sentences_in(path)
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", sentence)
        if option != "--packages"
    ]
    assert named == []
