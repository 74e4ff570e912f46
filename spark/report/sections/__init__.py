"""The parts of a report, one file each: what its template of the same name shows."""
