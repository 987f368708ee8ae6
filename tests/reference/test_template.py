"""The template that students start from asks for what the reference gives."""

import importlib
import importlib.util
import inspect
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = "template_of_assignment1"
NAMES = [
    ("norm", "LayerNorm"),
    ("norm", "RMSNorm"),
    ("rope", "rope_frequencies"),
    ("rope", "rope_cos_sin"),
    ("rope", "apply_rope"),
    ("kv_cache", "KVCache"),
    ("attention", "grouped_query_attention"),
    ("attention", "GroupedQueryAttention"),
    ("attention", "kv_cache_bytes"),
    ("ffn", "ReLUFeedForward"),
    ("ffn", "SwiGLU"),
    ("ffn", "swiglu_hidden_dim"),
    ("block", "TransformerBlock"),
    ("block", "Transformer"),
]
METHODS = [
    ("norm", "LayerNorm", "forward"),
    ("norm", "RMSNorm", "forward"),
    ("kv_cache", "KVCache", "append"),
    ("attention", "GroupedQueryAttention", "forward"),
    ("ffn", "ReLUFeedForward", "forward"),
    ("ffn", "SwiGLU", "forward"),
    ("block", "TransformerBlock", "forward"),
    ("block", "Transformer", "forward"),
]


@pytest.fixture(scope="module")
def template():
    """Import the template under a name of its own, so that no submission's package is in its way."""
    folder = ROOT / "submissions_template" / "assignment1"
    spec = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    sys.modules[PACKAGE] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    yield lambda module, name: getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


def reference(module, name):
    return getattr(importlib.import_module(f"reference.{module}"), name)


def arguments(function):
    """Names and defaults that the contract gives; the reference's keyword-only extras are its own."""
    parameters = inspect.signature(function).parameters.values()
    return [(p.name, p.default) for p in parameters if p.kind is not p.KEYWORD_ONLY]


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_template_and_reference_take_the_same_arguments(template, module, name):
    assert arguments(template(module, name)) == arguments(reference(module, name))


@pytest.mark.parametrize(("module", "name", "method"), METHODS)
def test_methods_take_the_same_arguments(template, module, name, method):
    actual = arguments(getattr(template(module, name), method))

    assert actual == arguments(getattr(reference(module, name), method))


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_template_says_which_section_is_not_written_yet(template, module, name):
    blank = template(module, name)
    required = [default for _, default in arguments(blank) if default is inspect.Parameter.empty]

    with pytest.raises(NotImplementedError, match=rf"^section 4\.\d: {name}$"):
        blank(*required)


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_template_describes_everything_it_asks_for(template, module, name):
    assert inspect.getdoc(template(module, name))
