"""Gradescope's autograder zip: ``build`` makes it, ``run`` is what happens in it for every submission."""
