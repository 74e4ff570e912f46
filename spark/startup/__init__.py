"""Quick starts of commands and workers, and Java's process; modules are imported singly."""
