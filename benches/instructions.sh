#!/usr/bin/env bash
# Instruction counts of a few scenes of `stiction bench steps`, compared with those on record in
# benches/instructions.csv. More than 10 % above the record fails; counts do not depend on what else
# the machine does.
#
#     benches/instructions.sh target/release/stiction             # compare
#     benches/instructions.sh target/release/stiction --record    # write the record again
#
# Needs valgrind; without it nothing is compared, and it says so.
set -euo pipefail
stiction=$1
record=$(dirname "$0")/instructions.csv
most=1.10

if ! command -v valgrind >/dev/null; then
  echo "skipped: valgrind is not installed"
  exit 0
fi

# Instructions of the first seconds of a scene, certified or not.
count() (
  set +o pipefail
  valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    "$stiction" bench steps --only "$1" --until "$2" --limit 1000000 2>&1 >/dev/null |
    awk '/Collected/ {print $4}'
)

failed=0
new="scene,until_s,instructions"
while IFS=, read -r scene until known; do
  now=$(count "$scene" "$until")
  [ -n "$now" ] || { echo "$scene: no count"; exit 2; }
  new+=$'\n'"$scene,$until,$now"
  if [ "$known" = 0 ]; then
    echo "$scene: $now, none on record"
  elif [ "${2:-}" != --record ]; then
    verdict=$(awk -v n="$now" -v k="$known" -v m=$most 'BEGIN {print (n > m * k) ? "MORE" : "ok"}')
    awk -v s="$scene" -v n="$now" -v k="$known" -v v="$verdict" \
      'BEGIN {printf "%-16s %8.1f million, %+5.1f %%  %s\n", s, n / 1e6, 100 * (n / k - 1), v}'
    [ "$verdict" = ok ] || failed=1
  fi
done < <(tail -n +2 "$record")
[ "${2:-}" != --record ] || printf '%s\n' "$new" > "$record"
exit $failed
