"""Three examples of each command, for its help."""

_LINES = """\
audit store
audit store --no-history --group 'pay*' --out findings
audit store --fail-on critical --format json
report store --out report.html
report store --out report.html --plan plan --history history
report store --out mail.html --static --cluster prod
serve store
serve store --out pages --port 9000
serve store --host 0.0.0.0 --config conf/evenfleet.toml
explain store --group orders
explain store --group orders --cluster prod --all
explain store --group orders --weight rate --csv --table moves
history store --since 7d
history store --since 7d --group 'pay*' --csv
history store --since 24h --out history
rates store
rates store --window 7d --quantile 0.99 --cluster prod
rates store --out rates --csv --table behind
graph store
graph store --question reach --broker 3 --cluster prod
graph store --question competitors --group orders --member MEMBER-ID
snapshots store
snapshots store --prune 90d --keep-daily 1
snapshots store --prune 90d --compact --apply
findings
findings stalled-partitions
findings --format json
config
config --config conf/evenfleet.toml --group payments-1
config --example audit
plan store --out plan
plan store --out plan --weight rate --group 'pay*'
plan store --out plan --rack any --levels racks,moves
compare store --out compare
compare store --out compare --strategies current,uniform,optimal
compare store --out compare --snapshot all --csv
verify store plan
verify store plan --group 'pay*'
verify --tables lake.fleet --plan-tables lake.plans
replay store --since 7d
replay store --strategies current,uniform,optimal
replay store --group 'pay*' --out replay --csv
frontier store --group orders
frontier store --group orders --all
frontier store --group orders --weight rate --csv
members store
members store --group 'pay*' --headroom 0.6
members store --window 7d --csv
reassign store --cluster prod --out moves
reassign store --cluster prod --out moves --drain 3 --batch-copies 20
reassign store --all --out moves
whatif store --event crash-rack=eu-west-a
whatif store --event rolling-restart=30s --group 'pay*'
whatif store --event members=12 --event broker-down=3 --out whatif
simulate store --group orders --scenario rolling-deploy
simulate store --group orders --scenario mine.toml --seeds 20
simulate store --group orders --scenario mine.toml --csv --table happenings
rollout store --to cooperative-sticky
rollout store --group 'pay*' --to consumer
rollout store --to cooperative-sticky --csv
scale store --since 7d
scale store --since 7d --group 'pay*' --policy policies.toml
scale store --since 7d --out scale --csv
demo
demo --groups 60 --out small
demo --master 'local[2]'
collect --bootstrap 127.0.0.1:9092 --cluster prod --out store
collect --clusters conf/clusters.toml --out store
collect --clusters conf/clusters.toml --groups 'pay*' --out store
import-cli --cluster prod --groups members.txt --groups offsets.txt --topics topics.txt --out store
import-cli --cluster prod --groups all.txt --topics topics.txt --brokers brokers.txt --out store
import-cli --cluster prod --groups all.txt --topics topics.txt --infer owned --out store
export-plan store plan --group orders --out orders.json
export-plan store plan --group 'pay*' --out plans
export-plan store plan --all --out plans
enforce orders.json --bootstrap 127.0.0.1:9092
enforce plans --clusters conf/clusters.toml --group 'pay*'
enforce plans --clusters conf/clusters.toml --apply
watch orders.json --bootstrap 127.0.0.1:9092
watch orders.json --bootstrap 127.0.0.1:9092 --timeout 300
watch plans --clusters conf/clusters.toml --csv
reassign-verify store moves/01-move.json
reassign-verify store moves/01-move.json --cluster prod
reassign-verify store moves/01-move.json --csv
"""

EXAMPLES = {
    name: [line for line in _LINES.splitlines() if line.split()[0] == name]
    for name in dict.fromkeys(line.split()[0] for line in _LINES.splitlines())
}
"""By command."""
