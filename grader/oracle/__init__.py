"""What a right program answers. ``live`` asks the reference in FP64; only this package imports ``reference``."""
