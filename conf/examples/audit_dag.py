"""Airflow 3: each hour a snapshot, and its audit, which fails when something is critical."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

EVENFLEET = "/opt/evenfleet/bin/evenfleet"
STORE = "/var/lib/evenfleet/store"

with DAG(
    dag_id="evenfleet_audit",
    schedule="0 * * * *",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
):
    collect = BashOperator(
        task_id="collect",
        bash_command=(f"{EVENFLEET} collect --clusters /etc/evenfleet/clusters.toml --out {STORE}"),
        retries=2,
        retry_delay=timedelta(minutes=2),
    )
    audit = BashOperator(
        task_id="audit",
        bash_command=(
            f"{EVENFLEET} audit {STORE} --thresholds /etc/evenfleet/audit.toml "
            "--out /var/lib/evenfleet/findings --fail-on critical"
        ),
        # a second run would find the same
        retries=0,
    )
    collect >> audit
