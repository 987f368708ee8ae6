"""Name the mistake: ask models of known mistakes what the checks asked, and see which answers as the student did.

``program`` is a right submission cut into many small steps. A mistake (``mistakes``) replaces a step or two; two
mistakes at once are both replacements together. ``transcript`` records what was asked and answered, ``replay`` asks a
model the same, ``search`` finds the smallest set of mistakes that explains every failed check. Models run only after a
failure.
"""
