"""The contract as typed calls: the only way by which checks reach the submission."""
