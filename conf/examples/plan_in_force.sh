#!/usr/bin/env bash
# From an uneven group to a plan in force, against a broker where nothing of it is there yet:
#
#     conf/examples/plan_in_force.sh 127.0.0.1:9092
#
# It makes the topics orders, payments and refunds and three consumers of group orders-group, plans
# them, rolls the plan out, and prints how many partitions each consumer has before and after. Python
# (PYTHON names another; EVENFLEET another command) needs evenfleet-assignor: pip install ./optimizer/assignor. Takes some two
# minutes. What it makes stays in WORK, a new folder unless that is set; the consumers end with it.
set -euo pipefail
export BROKER=${1:?the broker as HOST:PORT}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
evenfleet=${EVENFLEET:-$root/bin/evenfleet} python=${PYTHON:-python}
WORK=${WORK:-$(mktemp -d)}
mkdir -p "$WORK" && cd "$WORK"
declare -A running=()
trap 'kill "${running[@]}" 2>/dev/null || true' EXIT

consumer() { # NAME [PLAN]: start it, or start it again
    [[ -z ${running[$1]:-} ]] || { kill "${running[$1]}"; wait "${running[$1]}" 2>/dev/null || true; }
    "$python" "$root/conf/examples/consumer.py" "$@" >>"$1.log" 2>>"$1.err" &
    running[$1]=$!
}

loads() { # what each consumer said last
    local name
    for name in worker-1 worker-2 worker-3; do
        printf '%s ' "$(grep ' has ' "$name.log" 2>/dev/null | tail -n 1 | cut -d ' ' -f 3)"
    done
}

until_loads() { # until the consumers have this many
    local tries
    for tries in {1..120}; do
        [[ $(loads) != "$1 " ]] || return 0
        sleep 0.5
    done
    echo "the consumers have $(loads)after a minute, and not $1; see $WORK" >&2
    exit 1
}

echo "1. Three topics of 4 partitions, and three consumers by range"
"$python" - <<'PYTHON'
import os
from kafka import KafkaAdminClient
admin = KafkaAdminClient(bootstrap_servers=os.environ["BROKER"].split(","))
topic = {"num_partitions": 4, "replication_factor": 1}
admin.create_topics(dict.fromkeys(["orders", "payments", "refunds"], topic), wait_for_metadata=True)
PYTHON
for name in worker-1 worker-2 worker-3; do consumer "$name"; done
until_loads "6 3 3"
before=$(loads)

echo "2. A snapshot, a plan, and the plan as a file"
"$evenfleet" collect --bootstrap "$BROKER" --cluster prod --groups orders-group --out store
"$evenfleet" plan store --out plan
"$evenfleet" export-plan store plan --group orders-group --out orders.json

echo "3. The assignor, one consumer after the other; the plan is in force when the last has it"
for name in worker-1 worker-2 worker-3; do consumer "$name" orders.json; sleep 1; done
"$evenfleet" watch orders.json --bootstrap "$BROKER" --timeout 60
until_loads "4 4 4"
after=$(loads)

echo "4. From now on a new plan takes effect by enforce; this one is there already"
"$evenfleet" enforce orders.json --bootstrap "$BROKER" --apply

printf '\npartitions of worker-1, worker-2, worker-3\n  range:    %s\n  the plan: %s\n' "$before" "$after"
