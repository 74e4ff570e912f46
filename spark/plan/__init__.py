"""A fleet's plan: its tables, and what it comes to."""

from spark.plan.fleet_plan import TRAFFIC, FleetPlan, plan_fleet
from spark.plan.summary import IDLE_TO_BUSY, uneven_for_people
from spark.plan.traffic import cross_rack_traffic, kept_traffic, traffic_of_fleet
