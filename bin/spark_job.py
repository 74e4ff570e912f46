"""The commands of evenfleet for spark-submit: `spark-submit … bin/spark_job.py plan STORE …`."""

from spark.cli import main

main()
