from .attention import *  # noqa: F403
from .block import *  # noqa: F403
from .ffn import *  # noqa: F403
from .kv_cache import *  # noqa: F403
from .norm import *  # noqa: F403
from .rope import *  # noqa: F403
