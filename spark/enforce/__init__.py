"""Plans put into force: in live groups, and of replicas; only brokers need kafka-python."""

from spark.enforce.evaluate_group import Status, differences
from spark.enforce.export import Exported, NoPlan, exported_plan, group_plan, group_plans
from spark.enforce.plan_folder import PlanFolder, Written
