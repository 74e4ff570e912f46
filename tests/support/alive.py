"""Whether a process runs."""

import subprocess


def is_alive(pid: int) -> bool:
    """Whether the process runs: one that ended and that nobody has asked after (Z) doesn't."""
    ps = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(ps, capture_output=True, text=True, check=False)
    return not state.stdout.strip().startswith("Z") and bool(state.stdout.strip())
