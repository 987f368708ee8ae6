"""Brings the files that Python, pytest and installers run by themselves: none is run."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {}
FILES = {
    "usercustomize.py": "import os; os._exit(0)",
    "setup.py": "import os; os._exit(0)",
    "assignment1/conftest.py": "import os; os._exit(0)",
    "grader/__init__.py": "import os; os._exit(0)",
    "grader/worker/__init__.py": "import os; os._exit(0)",
    "torch/__init__.py": "import os; os._exit(0)",
    "torch/nn/__init__.py": "import os; os._exit(0)",
    "numpy.py": "import os; os._exit(0)",
}

USED = "all of the files above"
