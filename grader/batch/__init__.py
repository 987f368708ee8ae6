"""A whole class: read, grade on several processes or machines, remember what is finished, write a summary."""
