"""What holds the architecture: who may depend on whom, what is frozen, what is public."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import octavo
from project_tree import ROOT, lines, name, tracked

ENGINE = ROOT / "rust/octavo/src"
DOORWAY = ROOT / "rust/octavo-python/src"
PACKAGE = ROOT / "python/octavo"

# The dependency rule. A module may use modules of its own row and of the rows above it, and never in a circle.
# The test fails on a module that stands in no row: new modules are placed here first.
RUST_LAYERS = (
    {"error", "node", "message", "budget"},
    {"tokens", "transcript", "ledger", "entry"},
    {"rules", "window", "prune"},
    {"plan"},
    {"assemble"},
)
RUST_ALONE = {"vector", "lexical", "mask"}  # these may use `error` and nothing else, and all others may use them

PYTHON_LAYERS = (
    {"errors", "_core", "_build", "checking", "spread"},
    {"messages", "formats", "budget", "sections", "system", "lifetimes", "cutting", "mending", "strangers"},
    {
        "tokens",
        "pruning",
        "caching",
        "ledger",
        "privacy",
        "state",
        "recall",
        "compaction",
        "memory",
        "stores",
        "model_facts",
        "recipes",
    },
    {"validity", "reading", "shares", "frame", "told", "clearing"},
    {
        "report",
        "spans",
        "prefix",
        "certainty",
        "client",
        "context",
        "drafting",
        "calls",
        "modes",
        "transcript",
        "assemble",
        "recalling",
    },
    {"step_recall"},
    {"session"},
    {"__init__"},
    {"command", "__main__"},
)


def rank(layers: tuple[set[str], ...]) -> dict[str, int]:
    return {module: depth for depth, layer in enumerate(layers) for module in layer}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The circles of a graph, each as the modules on the way round."""
    found: list[list[str]] = []
    done: set[str] = set()

    def walk(module: str, way: list[str]) -> None:
        if module in way:
            found.append([*way[way.index(module) :], module])
        elif module not in done:
            for used in sorted(graph.get(module, ())):
                walk(used, [*way, module])
            done.add(module)

    for module in sorted(graph):
        walk(module, [])
    return found


def against_the_layers(graph: dict[str, set[str]], layers: tuple[set[str], ...]) -> list[str]:
    """Every use that goes up."""
    depth = rank(layers)
    return [
        f"{module} uses {used}"
        for module, uses in sorted(graph.items())
        for used in sorted(uses)
        if module in depth and used not in RUST_ALONE and depth[used] > depth[module]
    ]


def test_a_circle_and_an_upward_use_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == [["a", "b", "c", "a"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    assert against_the_layers({"plan": {"error"}, "error": {"plan"}}, RUST_LAYERS) == ["error uses plan"]


# ---- Rust -----------------------------------------------------------------------------------------------------------


def without_tests_and_comments(source: str) -> str:
    source = re.sub(r"(?m)^\s*//.*$", "", source)
    return source.split("#[cfg(test)]\nmod tests {", maxsplit=1)[0]


def rust_module(path: Path) -> str:
    return path.relative_to(ENGINE).parts[0].removesuffix(".rs")


def rust_graph() -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for path in sorted(ENGINE.rglob("*.rs")):
        if path.name == "lib.rs":
            continue
        source = without_tests_and_comments(path.read_text(encoding="utf-8"))
        grouped = re.findall(r"\bcrate::\{([^;]*)\};", source)
        used = set(re.findall(r"\bcrate::([a-z_]+)", source)) | {
            item for group in grouped for item in re.findall(r"(?:^|,)\s*([a-z_]+)", re.sub(r"\{[^{}]*\}", "", group))
        }
        graph.setdefault(rust_module(path), set()).update(used)
    return {module: uses - {module} for module, uses in graph.items()}


def test_every_engine_module_has_its_place() -> None:
    known = set().union(*RUST_LAYERS) | RUST_ALONE
    graph = rust_graph()
    assert len(graph) >= 5, "the engine's modules were not found"
    assert set(graph) - known == set()
    assert set().union(*graph.values()) - known == set()


def test_the_engine_depends_one_way() -> None:
    graph = rust_graph()
    assert "message" in graph["transcript"], "the reading of `use crate::…` has broken"
    assert against_the_layers(graph, RUST_LAYERS) == []
    assert circles(graph) == []
    assert {module: graph[module] - {"error"} for module in RUST_ALONE & set(graph) if graph[module] - {"error"}} == {}


def test_the_engine_knows_no_python() -> None:
    command = ["cargo", "tree", "--package", "octavo", "--edges", "all", "--prefix", "none", "--locked"]
    tree = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    crates = {line.split()[0] for line in tree.splitlines() if line}
    assert {"octavo", "serde_json"} <= crates
    assert [crate for crate in sorted(crates) if crate.startswith("pyo3")] == []


def test_every_python_class_of_the_doorway_is_frozen() -> None:
    found = [
        (name(path), attribute)
        for path in sorted(DOORWAY.rglob("*.rs"))
        for attribute in re.findall(r"#\[pyclass\b[^\]]*\]", path.read_text(encoding="utf-8"))
    ]
    assert found, f"no #[pyclass] under {DOORWAY}"
    assert [(where, attribute) for where, attribute in found if not re.search(r"\bfrozen\b", attribute)] == []


def test_doorway_files_only_translate() -> None:
    sizes = {name(path): len(lines(path)) for path in DOORWAY.rglob("*.rs")}
    assert sizes
    assert {where: size for where, size in sizes.items() if size > 250} == {}


def test_unsafe_code_gives_its_reason() -> None:
    seen = 0
    silent: list[str] = []
    for path in tracked(".rs"):
        text = lines(path)
        for number, line in enumerate(text):
            if not re.search(r"\bunsafe\s*(\{|impl|fn)", line.split("//")[0]):
                continue
            before = "\n".join(text[max(0, number - 6) : number + 1])
            if "SAFETY" not in before and "# Safety" not in before:
                silent.append(f"{name(path)}:{number + 1}")
        seen += len(text)
    assert seen > 1000
    assert silent == []


# ---- Python ---------------------------------------------------------------------------------------------------------


def top_level_imports(tree: ast.Module) -> Iterator[str]:
    """Dotted names imported when the module is imported; what stands inside functions waits until it is needed."""
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that this test can read them"
            module = node.module or ""
            yield from (f"octavo.{alias.name}" for alias in node.names) if module == "octavo" else [module]
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            pending.extend([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            pending.extend([*node.body, *(line for handler in node.handlers for line in handler.body)])


def python_module(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def python_imports() -> dict[str, set[str]]:
    imports: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports.setdefault(python_module(path), set()).update(top_level_imports(tree))
    return imports


def python_graph() -> dict[str, set[str]]:
    known = set().union(*PYTHON_LAYERS)
    graph: dict[str, set[str]] = {}
    for module, imported in python_imports().items():
        own = {dotted.split(".")[1] for dotted in imported if dotted.startswith("octavo.")}
        # `from octavo import Context` names a thing of the package itself, not a module.
        graph[module] = {part if part in known else "__init__" for part in own} - {module}
    return graph


def test_every_python_module_has_its_place() -> None:
    modules = set(python_imports())
    assert "__init__" in modules
    assert modules - set().union(*PYTHON_LAYERS) - {"integrations"} == set()


def test_the_package_depends_one_way() -> None:
    graph = python_graph()
    assert "_core" in graph["__init__"], "the reading of imports has broken"
    integrations = graph.pop("integrations", set())
    assert against_the_layers(graph, PYTHON_LAYERS) == []
    assert circles(graph) == []
    assert integrations <= {"__init__", "privacy", "formats"}, "integrations know the public API and nothing else"


def test_stores_know_messages_and_errors_only() -> None:
    assert python_graph().get("stores", set()) <= {"messages", "errors"}


def test_importing_needs_the_standard_library_only() -> None:
    imported = {dotted.split(".")[0] for uses in python_imports().values() for dotted in uses}
    assert "warnings" in imported
    assert imported - set(sys.stdlib_module_names) - {"octavo"} == set()


# ---- the page about all this ----------------------------------------------------------------------------------------


def architecture(heading: str) -> str:
    """One section of ARCHITECTURE.md."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    return page.split(f"## {heading}\n", maxsplit=1)[1].split("\n## ", maxsplit=1)[0]


def rooms(column: int) -> set[str]:
    """The files and folders that one column of the room table names."""
    table = architecture("Which room?").split("\nBeside the layers:")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 20
    return {named for row in rows for named in re.findall(r"`([^`]+)`", row[column])}


def without_room(modules: set[str], suffix: str, column: int) -> set[str]:
    """The modules of which no row of the table names the file, its folder or a part of it."""
    named = {room.split("/")[0].removesuffix(suffix) for room in rooms(column)}
    return modules - named


def test_every_module_has_a_room_on_the_page() -> None:
    assert without_room({"plan", "nowhere"}, ".rs", 1) == {"nowhere"}
    assert without_room(set(rust_graph()), ".rs", 1) == set()
    assert without_room({path.stem for path in DOORWAY.glob("*.rs")}, ".rs", 2) == set()
    assert without_room(set(python_imports()), ".py", 3) == set()


def test_what_the_page_names_exists() -> None:
    places = ((1, (ENGINE, ROOT)), (2, (DOORWAY,)), (3, (PACKAGE,)), (4, (ROOT / "tests", ROOT)))
    for column, folders in places:
        assert [room for room in rooms(column) if not any(list(at.glob(room)) for at in folders)] == []


def test_the_page_has_the_whole_dependency_rule() -> None:
    text = architecture("Dependency rule")
    rust = re.findall(r"(?m)^Rust +(.*)$", text)
    python = re.findall(r"(?m)^Python +(.*(?:\n +← .*)*)", text)
    assert len(rust) == len(python) == 1
    for written, layers, there in (
        (rust[0], RUST_LAYERS, set(rust_graph())),
        (python[0], PYTHON_LAYERS, set(python_imports()) | {"_core"}),
    ):
        rows = [set(row.split()) for row in written.split("←")]
        assert rows == [layer & there for layer in layers if layer & there]


# ---- the public face ------------------------------------------------------------------------------------------------


def public_things() -> list[tuple[str, object]]:
    return [(public, getattr(octavo, public)) for public in octavo.__all__ if not public.startswith("__")]


def test_all_lists_every_public_name() -> None:
    present = {
        found
        for found, value in vars(octavo).items()
        if not found.startswith("_") and not isinstance(value, ModuleType) and value is not None
    }
    assert present, "the package is empty"
    listed = {public for public in octavo.__all__ if not isinstance(getattr(octavo, public), ModuleType)}
    assert listed - {"__version__"} == present
    assert list(octavo.__all__) == sorted(set(octavo.__all__))


@pytest.mark.parametrize(("public", "value"), public_things(), ids=lambda value: value if type(value) is str else "")
def test_every_public_name_is_explained(public: str, value: object) -> None:
    if not (inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)):
        return  # a constant or a type alias: Python keeps no docstring for it
    assert inspect.getdoc(value), f"octavo.{public} has no docstring"
    if inspect.isclass(value):
        members = [(part, getattr(value, part)) for part in vars(value) if not part.startswith("_")]
        silent = [
            part
            for part, member in members
            if (inspect.isroutine(member) or isinstance(member, property)) and not inspect.getdoc(member)
        ]
        assert silent == [], f"octavo.{public}: no docstring on {silent}"


def test_every_public_name_stands_in_the_guide() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs/guide").rglob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    names = [public for public in octavo.__all__ if not public.startswith("__")]
    assert names
    missing = [public for public in names if not re.search(rf"(?<![\w]){re.escape(public)}(?![\w])", text)]
    assert missing == []
