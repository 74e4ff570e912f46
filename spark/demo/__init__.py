"""A made-up fleet that looks like a real one."""

from spark.demo.fleet import demo_fleet
from spark.demo.history import make_history
from spark.demo.uneven import drain_settings, most_uneven
