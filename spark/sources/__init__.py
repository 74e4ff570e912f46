"""Where snapshots come from; a source only reads."""
