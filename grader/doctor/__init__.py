"""What holds on this machine: the engine, the image, every limit of a container, and what else could isolate."""
