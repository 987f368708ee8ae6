# Assignment 1, loops first, speed never. All maths in double precision.
