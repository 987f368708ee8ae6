"""What was handed in, as source text in memory. Nothing is executed, extracted or followed."""
