#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# A lab's nights under a real Slurm of this machine: 20 hosts with 40 devices, jobs
# that are killed and requeued, daemons that are killed, and what is told.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 2
PATH=$PATH:/usr/sbin
cluster=$SRC/tests/slurm/cluster
HOSTS=20

for program in slurmctld slurmd munged srun; do
	command -v $program >/dev/null && continue
	echo "1..0 # SKIP no $program: install slurmctld, slurmd, slurm-client and munge"
	exit 0
done
if [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP slurmd needs root"
	exit 0
fi
end() {
	"$cluster" down "$TMP/slurm"
	rm -rf "$TMP"
}
trap end EXIT
chmod 755 "$TMP"
"$cluster" up "$TMP/slurm" $HOSTS || {
	echo "1..0 # SKIP no Slurm can be started here"
	exit 0
}
export SLURM_CONF=$TMP/slurm/slurm.conf

# Each host has a stand-in device. Faults of a host are in the file HOST.env.
cat >ibvet <<END
#!/bin/bash
[ -e "$TMP/\$SLURMD_NODENAME.env" ] && . "$TMP/\$SLURMD_NODENAME.env"
LD_PRELOAD="$BUILD/libfakeverbs.so" exec "$IBVET" "\$@"
END
chmod +x ibvet
cat >lab.yaml <<END
folder: $TMP/lab
ibvet: $TMP/ibvet
tell: cat >>$TMP/told
partition: rdma
devices:
  - {device: fake0, hosts: n01, ids: [modify/rc/init-rtr, srq, cq], shards: 2}
  - {device: "fake*", constraint: model, ids: cq/create}
  - {device: model, ids: cq}
  - {device: model, constraint: model, pool: twins, ids: query/uc, shards: 3}
pairs:
  - {first: n03/model, second: n04/model, ids: pair/uc}
END

# Slurm puts off by two minutes what it requeues, also after a slurmd died.
hurry() {
	local job
	for job in $(squeue -h -r -o '%A %r' 2>/dev/null | sed -n 's/ BeginTime//p'); do
		scontrol update jobid="$job" starttime=now
	done
}
# Waits until no job is left; on a machine with other work that takes longer than a
# minute.
await_jobs() {
	local end=$((SECONDS + 400))
	while [ -n "$(squeue -h 2>&1)" ] && [ "$SECONDS" -lt "$end" ]; do
		hurry
		sleep 0.2
	done
}
# Waits until no job is left. Sets first to the first line that the last job printed
# which collected, and status to the exit status of collect.
night() { # NAME
	await_jobs
	first=$(grep -E "^(lab, night $1:|n[0-9]+ .* since $1,)" "lab/nights/$1/collect.log" |
		tail -n 1)
	run "$IBVET" fleet collect lab.yaml --night "$1"
}

# --- A night with kills -----------------------------------------------------------

run "$IBVET" fleet plan lab.yaml --night one
is "$(tail -n 1 <<<"$out")" "45 jobs; the longest host of unknown time" "plan: all hosts and devices"
is "$(squeue -h -o %j | grep -c lab/)" 0 "plan: starts nothing"
# Each shard of n01 stands still in a call until it is killed.
touch stands1 stands2
cat >n01.env <<END
for shard in 1 2; do
	[[ "\$*" == *" n01-fake0 \$shard" ]] &&
		export FAKE_HANGS=modify_srq FAKE_ONCE=$TMP/stands\$shard
done
END
run "$IBVET" fleet start lab.yaml --night one
is "$status $(grep -c 'shard' <<<"$out")" "0 42" "start: an array for each device, the pair and the pool"
like "$(tail -n 1 <<<"$out")" 'collects' "start: and a job that collects"
run "$IBVET" fleet start lab.yaml --night one
like "$out" 'in the queue' "start again: submits nothing"
refuses "collect before the end" 2 'jobs of the night have not ended' "$IBVET" fleet collect lab.yaml

await test ! -e stands1
ok "a shard under way is requeued" scontrol requeue \
	"$(squeue -h -r -n lab/one/n01-fake0 -o '%i %K' | sed -n 's/ 1$//p')"
await test ! -e stands2
ok "another one is killed" \
	pkill -KILL -o -f "^ibvet run --out $TMP/lab/nights/one/n01-fake0/shard-2"
is_put_off() { squeue -h -r -n lab/one/n01-fake0 -o '%A %r' | grep -q BeginTime; }
await is_put_off
kill -9 "$("$cluster" pid slurm n05)"
"$cluster" start slurm n05
# slurmctld saves its state every five seconds. It forgets the end of a job since then,
# and waits for minutes for a job that is gone.
end=$((SECONDS + 300))
while squeue -h -t running,completing | grep -q . && [ "$SECONDS" -lt "$end" ]; do
	sleep 0.2
done
sleep 6
kill -9 "$("$cluster" pid slurm slurmctld)"
"$cluster" start slurm slurmctld
night one
is "$status" 2 "a shard that was killed: status 2"
like "$first" 'nothing new fails, 1 device without a whole result' "the first line says so"
like "$(<told)" 'n01/fake0: 1 of 2 shards ended' "the device is told"
run "$IBVET" fleet start lab.yaml --night one
is "$(grep -c shard <<<"$out")" 1 "start again: submits that shard alone"
night one
is "$status $first" "0 lab, night one: nothing new fails" "the night is whole"
LD_PRELOAD=$BUILD/libfakeverbs.so "$IBVET" run -d fake0 --time 0 --out whole \
	modify/rc/init-rtr srq cq >/dev/null
run "$IBVET" diff whole lab/nights/one/n01-fake0/run
is "$status" 0 "the shards that were killed and requeued equal a run that was not"
is "$(python3 -c 'import collections, json, sys
ends = collections.Counter(json.loads(line).get("id") for line in open(sys.argv[1])
                           if "\"end\"" in line)
print(max(ends.values()))' lab/nights/one/n01-fake0/run/journal.jsonl)" 1 \
	"each case has one verdict"
"$IBVET" run -d model --out pool query/uc >/dev/null
run "$IBVET" diff pool lab/nights/one/twins-model/run
is "$status" 0 "the shards of a pool, from several hosts, equal a whole run"
ok "the night has a page" test -s lab/nights/one/nights.html
is "$("$IBVET" history lab/history.db nights | grep -c '^  one  *42 ')" 1 \
	"the history has 40 devices, the pair and the pool"

# --- Another firmware and a fault ----------------------------------------------------

cp told told.one
echo 'fw = 28.40.1000' >new.dev
echo "export FAKE_MUTANT=errno:cq/size/over=EFAULT FAKE_LIMITS=$TMP/new.dev" >n07.env
run "$IBVET" fleet start lab.yaml --night two
night two
is "$status" 1 "another firmware and a fault: status 1"
like "$first" '^n07 fake0: [^ ]+ deviates since two, [0-9]+ cases? in all$' \
	"the first line names device, rule and night"
told=$(tail -n +$(($(wc -l <told.one) + 1)) told)
is "$(head -n 1 <<<"$told")" "$first" "that line is told first"
like "$told" 'firmware: .*, then 28.40.1000' "and the firmware"
is "$(grep -E '^  n[0-9]' <<<"$told" | grep -vc 'n07 fake0')" 0 "and nothing of other devices"
is "$(scontrol show job | grep -o 'JobName=lab/two/.*' | sort -u | wc -l)" 43 \
	"jobs are named after lab, night and device"

# --- A sweep over eight hosts, and hunts with one corpus ---------------------------

rm n07.env # the hosts of a pool have one firmware
cat >more.yaml <<END
folder: $TMP/more
ibvet: $TMP/ibvet
partition: rdma
devices:
  - {device: fake0, constraint: model, pool: twins, run: sweep, type: ud,
     pair: [init-rtr, rtr-rtr, rts-rts, sqd-rts], values: true, shards: 8}
  - {device: fake0, hosts: [n11, n12, n13], run: fuzz, time: 8}
END
more() { # NIGHT: runs a night of that lab, sets status, out
	"$IBVET" fleet start more.yaml --night "$1" >more.out
	await_jobs
	run "$IBVET" fleet collect more.yaml --night "$1"
}
more one
is "$status $(head -n 1 <<<"$out")" "0 more, night one: nothing new fails" \
	"a sweep over eight hosts and three hunts: status 0"
is "$(grep -c 'cells, [1-9]' more/nights/one/twins-fake0-sweep/shard-[1-8].log | grep -vc ':0$')" 8 \
	"eight jobs sweep a part each"
LD_PRELOAD=$BUILD/libfakeverbs.so "$IBVET" sweep -d fake0 --type ud --pair init-rtr \
	--pair rtr-rtr --pair rts-rts --pair sqd-rts --values --out sweep >/dev/null
no_time() { # FOLDER
	sed -E 's/"seconds": [0-9.e-]+/"seconds"/' "$1/sheet.json"
	sed -E 's/ in [0-9.]+ s:/:/' "$1/sheet.html"
}
ok "sheet and page of eight hosts are those of one, but for the seconds" \
	cmp <(no_time sweep) <(no_time more/nights/one/twins-fake0-sweep/run)
is "$(grep -lE 'kept [0-9]+ \([1-9][0-9]* of other hunts\)' more/nights/one/*fuzz*/shard-1.log | wc -l)" 3 \
	"each hunt takes what the others keep"
for host in n11 n12; do
	echo "export FAKE_MUTANT=B010" >$host.env
done
more two
is "$status" 1 "two hunts find the same: status 1"
like "$out" '^n1[12]/fake0 fuzz modify: [^ ]+ deviates since two, 1 finding in all' \
	"it is told once"
like "$out" 'also on n1[12]/fake0 fuzz modify' "the second device is a row of it"
echo "export FAKE_MUTANT=B010" >n13.env
more three
is "$status" 0 "the same finding on a third device: status 0"
like "$out" 'now also on n13/fake0 fuzz modify; on n1[12]/fake0 fuzz modify since two' \
	"it is a row and not a report"

done_testing
