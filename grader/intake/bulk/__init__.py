"""What a learning platform hands out for a whole class: who handed in what, and each submission when it is its turn.

Names in it are data, never paths: nothing is unpacked to a place that a name says.
"""
