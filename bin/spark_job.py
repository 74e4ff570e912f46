"""The commands of evenfleet for spark-submit: `spark-submit … bin/spark_job.py plan STORE …`."""

from __future__ import annotations

from evenfleet.command import main

main()
