"""The parts of a report: what the template of each one's name shows."""
