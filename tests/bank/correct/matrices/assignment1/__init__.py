"""Everything as matrices: the block-diagonal R_p of the lecture, attention by grouped einsum."""
