"""What runs inside consumers and follows a plan: light to import, one module for each need.

kafka-python is needed by `plan_assignor` and `kafka_python` alone.
"""
