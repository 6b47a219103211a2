#!/usr/bin/env bash
# Installs packages, builds a release, runs the first experiments and writes a waveform. Works from any directory.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages
mkdir -p "$tributary_root/build" "$tributary_root/results"
build_preset release tributary_product
tributary="$tributary_root/build/release/tributary"
results="$tributary_root/results"
layers="$tributary_root/testbench/workload/data/resnet50.csv"

# start NAME COMMAND... runs a command in the background. finish NAME waits for it, prints its table and fails if it failed.
tables="$(mktemp -d)"
trap 'rm -rf "$tables"' EXIT
declare -A started
start() {
  "${@:2}" >"$tables/$1" &
  started[$1]=$!
}
finish() {
  local code=0
  wait "${started[$1]}" || code=$?
  cat "$tables/$1"
  return "$code"
}

# The longest run uses a second core from the beginning; its table follows below.
start gradients "$tributary" run --platform dgx2 --collective allreduce --algorithm push --gpus 16 --messages "$layers" \
  --json "$results/resnet50_push.json" --csv "$results/resnet50_push.csv"

echo
echo "== All-reduce on a DGX-2 with 16 GPUs: software ring, pull and push reductions in the switches"
for algorithm in ring pull push; do
  "$tributary" run --platform dgx2 --collective allreduce --algorithm "$algorithm" --gpus 16 --sizes 1KiB:16MiB:x4 \
    --json "$results/$algorithm.json" --csv "$results/$algorithm.csv"
done

echo
echo "== The gradients of ResNet-50, layer by layer, last layer first"
finish gradients

echo
echo "== An iteration of ResNet-50's training in f16, 32 images for each GPU: NCCL's ring and push, overlapped with the backward pass"
for algorithm in ring push; do
  start "train_$algorithm" "$tributary" train --platform dgx2 --algorithm "$algorithm" --model resnet50 --batch 32 --dtype f16 --compute roofline \
    --grouping layer_wise --preset nccl --json "$results/train_$algorithm.json"
done
finish train_ring
finish train_push

echo
echo "== All-reduce of six hosts on Ethernet: ring over RDMA, and NetReduce's accelerator at the switch"
for algorithm in ring netreduce; do
  "$tributary" run --platform rack:6 --collective allreduce --algorithm "$algorithm" --sizes 64KiB:16MiB:x16 \
    --json "$results/rack_$algorithm.json" --csv "$results/rack_$algorithm.csv"
done

echo
echo "== The life of one block, on the screen and as a waveform"
"$tributary" run --platform dgx2 --collective allreduce --algorithm push --gpus 16 --size 8KiB \
  --trace-block 62 --vcd "$results/push.vcd"

cat <<END

Every element was checked. Results are in $results:
  {ring,pull,push}.json and .csv        16 GPUs, 1 KiB to 16 MiB
  resnet50_push.json and .csv           one row per layer, and the total
  train_{ring,push}.json                an iteration of ResNet-50: critical path, slack of each layer
  rack_{ring,netreduce}.json and .csv   6 hosts on Ethernet
  push.vcd                              life of block 62 of an 8 KiB push all-reduce: from 16 operands to 16 arrivals
Open the waveform with
  gtkwave $results/push.vcd.gtkw
END
command -v gtkwave >/dev/null || echo "(GTKWave is not installed: apt-get install gtkwave)"

# Columns of the CSV: 6 is the size, 10 the time, 19 the bottleneck of the run and 21 its share.
cell() { awk -F, -v column="$2" '$6 == 16777216 { print $column }' "$results/$1.csv"; }
iteration() { sed -n 's/^ *"time_ns": \([0-9.]*\),*$/\1/p' "$results/train_$1.json" | head -1; }
awk -v ring="$(cell ring 10)" -v push="$(cell push 10)" -v bottleneck="$(cell push 19)" -v share="$(cell push 21)" \
  -v slow="$(iteration ring)" -v fast="$(iteration push)" 'BEGIN {
    found = bottleneck == "unnamed" ? "its busiest resource works" : "bottleneck: " bottleneck ","
    printf "\nConclusion: push reduces 16 MiB of 16 GPUs in the switches %.1f times as fast as the ring (%s %.0f %% of the time), ", ring / push, found, 100 * share
    printf "and shortens an iteration of ResNet-50 by %.0f %%.\n", 100 * (1 - fast / slow)
  }'
