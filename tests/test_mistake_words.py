"""Known mistakes in Chinese, held against the sources of their models, which are read here and not imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from grader.feedback import messages

CHINESE = messages._chinese_mistakes()
FOLDER = Path(messages.__file__).parents[1] / "diagnosis" / "mistakes"
TREES = [ast.parse(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.py"))]


def names_in(*nodes: ast.AST) -> set[str]:
    """Every name that occurs in ``nodes``."""
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def registrations(node: ast.AST) -> Iterator[ast.expr]:
    """The id of each call ``mistake(id, part=...)`` inside ``node``."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "mistake":
            yield call.args[0]


def sentences_of_classes(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Ids that stand above a class, and the first line of its docstring."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                for id in registrations(decorator):
                    yield ast.literal_eval(id), (ast.get_docstring(node) or "").splitlines()[0]


def ids_of_factories(tree: ast.Module) -> Iterator[str]:
    """Ids of models that a function makes, one for each of its calls: its calls run here, its body does not."""
    found: list[str] = []

    def recorder(function: ast.FunctionDef, id: ast.expr):
        names = [argument.arg for argument in function.args.args]
        code = compile(ast.Expression(id), "id", "eval")
        return lambda *values: found.append(eval(code, dict(zip(names, values, strict=True))))

    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    factories = {node.name: recorder(node, id) for node in functions for id in registrations(node)}
    calls = [node for node in tree.body if isinstance(node, ast.Expr | ast.For) and names_in(node) & set(factories)]
    used = {name for call in calls for name in names_in(call)}
    tables = [node for node in tree.body if isinstance(node, ast.Assign) and names_in(*node.targets) & used]
    exec(compile(ast.Module([*tables, *calls], []), "calls", "exec"), factories)
    yield from found


ENGLISH = {id: sentence for tree in TREES for id, sentence in sentences_of_classes(tree)}
MADE = [id for tree in TREES for id in ids_of_factories(tree)]


def test_every_registration_in_the_sources_is_read_here():
    above_classes = sum(isinstance(id, ast.Constant) for tree in TREES for id in registrations(tree))
    in_factories = sum(isinstance(id, ast.JoinedStr) for tree in TREES for id in registrations(tree))

    assert len(ENGLISH) == above_classes
    assert len(MADE) == len(set(MADE)) >= in_factories


def test_every_mistake_has_chinese_words_and_nothing_else_has():
    assert set(CHINESE) == {*ENGLISH, *MADE}


def test_every_mistake_is_said_in_one_chinese_sentence():
    one_sentence = re.compile(r"[^。]*[\u4e00-\u9fff][^。]*。")

    assert {id: words for id, words in CHINESE.items() if not one_sentence.fullmatch(words)} == {}


def test_no_mistake_keeps_its_english_words():
    assert {id for id, sentence in ENGLISH.items() if CHINESE.get(id) == sentence} == set()


def test_chinese_words_can_be_shown_on_a_chinese_windows_console():
    assert {id for id, words in CHINESE.items() if words.encode("cp936", "replace").decode("cp936") != words} == set()
