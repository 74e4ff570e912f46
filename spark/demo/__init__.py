"""A made-up fleet that looks like a real one."""

from spark.demo.fleet import drain_settings, most_uneven
from spark.demo.history import demo_fleet, make_history
