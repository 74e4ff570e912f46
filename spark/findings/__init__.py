"""What can be wrong with a fleet: one small function a finding, and one registry of them."""
