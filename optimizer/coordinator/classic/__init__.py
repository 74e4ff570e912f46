"""The classic protocol: its consumers, and the coordinator's side of it."""
