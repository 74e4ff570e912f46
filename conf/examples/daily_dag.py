"""Airflow 3: each night what has happened that day; then what has had its time goes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

EVENFLEET = "/opt/evenfleet/bin/evenfleet"
STORE = "/var/lib/evenfleet/store"

with DAG(
    dag_id="evenfleet_daily",
    schedule="15 1 * * *",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
):
    history = BashOperator(
        task_id="history",
        bash_command=f"{EVENFLEET} history {STORE} --since 24h --out /var/lib/evenfleet/history",
        retries=2,
        retry_delay=timedelta(minutes=10),
    )
    prune = BashOperator(
        task_id="prune",
        bash_command=(
            f"{EVENFLEET} snapshots {STORE} --prune 90d --keep-daily 1 --compact --apply"
        ),
        # killed at any moment it leaves the store whole, and goes on where it was
        retries=2,
        retry_delay=timedelta(minutes=10),
    )
    history >> prune
