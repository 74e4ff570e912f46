"""When a group is too large to be planned exactly."""


class CostOverflowError(OverflowError):
    """The costs of a group don't fit 64 bits: there is no plan rather than a wrong one."""
