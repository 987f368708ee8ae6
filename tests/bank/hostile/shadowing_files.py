"""Brings files that would end whatever imported them: none is imported, and the rest is right."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {}
FILES = {
    "colorsys.py": "import os; os._exit(0)",
    "random.py": "raise SystemExit(0)",
    "struct.py": "import os; os._exit(0)",
    "torch.py": "import os; os._exit(0)",
    "traceback.py": "import os; os._exit(0)",
    "conftest.py": "import os; os._exit(0)",
    "sitecustomize.py": "import os; os._exit(0)",
    "grader.py": "import os; os._exit(0)",
    "reference.py": "import os; os._exit(0)",
}

import colorsys
import random
import struct
import traceback

USED = (colorsys.rgb_to_hsv, random.random, struct.pack, traceback.format_exc)
