"""The consumer protocol (KIP-848): its consumers, and the coordinator's side of it."""
