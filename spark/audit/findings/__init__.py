"""Nothing but findings: a file for what belongs together, an entry each in the registry beside."""
