"""``grader kit build``: what the students of a course get. Nothing of this room is in a kit."""
