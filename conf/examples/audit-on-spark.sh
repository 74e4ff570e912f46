#!/usr/bin/env bash
# The audit on a Spark cluster. Give it where Spark's master is, the store, and a folder for findings:
#
#     audit-on-spark.sh spark://HOST:7077 hdfs:///kafka/store hdfs:///kafka/findings
#
# Driver and workers have the package in /opt/evenfleet, or where PYSPARK_PYTHON says. In client mode
# the exit code of the audit is that of this script, and thresholds and metrics are files of this
# machine.
set -euo pipefail
export PYSPARK_PYTHON=${PYSPARK_PYTHON:-/opt/evenfleet/bin/python}
exec spark-submit --master "$1" --deploy-mode client \
    --conf spark.sql.shuffle.partitions=64 \
    "$(dirname "${BASH_SOURCE[0]}")/../../bin/spark_job.py" \
    audit "$2" --out "$3" \
    --thresholds /etc/evenfleet/audit.toml \
    --prometheus /var/lib/node_exporter/textfile/evenfleet.prom \
    --fail-on critical
