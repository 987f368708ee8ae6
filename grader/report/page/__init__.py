"""The report as one HTML page with pictures: no script, nothing loaded from elsewhere, both languages inside."""
