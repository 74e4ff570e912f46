"""Error codes of brokers, in words."""

from kafka.errors import for_code


def error_text(code: int) -> str:
    """`NOT_COORDINATOR (16): This is not the correct coordinator.`, as far as it is known."""
    error = for_code(code)
    name = getattr(error, "message", None) or error.__name__
    description = getattr(error, "description", None)
    return f"{name} ({code})" + (f": {description.rstrip('.')}" if description else "")
