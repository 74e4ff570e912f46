"""What runs inside consumers: light to import, and kafka-python only in `plan_assignor`."""
