from .attention import *  # noqa: F403 - the style
from .block import *  # noqa: F403 - the style
from .ffn import *  # noqa: F403 - the style
from .kv_cache import *  # noqa: F403 - the style
from .norm import *  # noqa: F403 - the style
from .rope import *  # noqa: F403 - the style
