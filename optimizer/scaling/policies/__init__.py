"""Ways to scale a group: as it was, a fixed number, HPA, KEDA, and Evenfleet's own."""
