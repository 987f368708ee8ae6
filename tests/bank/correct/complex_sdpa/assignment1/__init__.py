"""Assignment 1: RoPE as complex rotation, attention through scaled_dot_product_attention."""
