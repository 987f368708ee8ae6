"""Why a number passes: the criterion, derived error bounds, noise for composites, and designed inputs."""
