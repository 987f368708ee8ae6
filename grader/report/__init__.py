"""The report: models, the JSON file, and what the terminal shows."""
