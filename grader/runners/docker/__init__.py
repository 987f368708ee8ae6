"""Student code in a locked-down container: the runner whose reports say ``trusted: true``."""
