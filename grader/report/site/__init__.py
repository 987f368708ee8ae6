"""The instructor's page of a class: one HTML file that loads nothing, with the students' pages beside it."""
