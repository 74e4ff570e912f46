"""What lets commands and workers start sooner, and Java's process; modules are imported singly."""
