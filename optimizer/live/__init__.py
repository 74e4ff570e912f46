"""Where `optimizer.assignor` stood: consumers that import from here go on working."""
