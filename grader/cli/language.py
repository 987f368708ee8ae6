"""Which language to speak."""

from __future__ import annotations

import locale
import os


def from_locale() -> str:
    """``zh`` where the environment or the system says Chinese, else ``en``."""
    for name in ("GRADER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "zh" if (locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"
