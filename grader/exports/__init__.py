"""Reports in the formats of others: graders' platforms, continuous integration, learning platforms, similarity tools.

Nothing here grades. What is not graded is exported as the platform's own "could not be graded", or not at all; never
as a zero. Texts are cleaned again when a file is read (``source``), and every format escapes for itself.
"""
