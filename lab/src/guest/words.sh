# What a guest's script says its cases with. Each prints one line `@@lab pass|fail|skip NAME`, and what the
# command showed before a failure.

# verdict NAME STATUS: passes where STATUS is 0.
verdict() {
    if [ "$2" = 0 ]; then echo "@@lab pass $1"; else tail -n 40 /tmp/shown; echo "@@lab fail $1"; fi
}

# works NAME COMMAND...: ends with status 0.
works() {
    name="$1"; shift
    echo "@@lab begin $name"
    "$@" >/tmp/shown 2>&1
    verdict "$name" $?
}

# conforms NAME TESTS...: the engines' conformance suite ends well, and some of it was run.
conforms() {
    name="$1"; shift
    echo "@@lab begin $name"
    conformance --test-threads 1 --nocapture "$@" >/tmp/shown 2>&1 && grep -q '^running [1-9]' /tmp/shown
    verdict "$name" $?
}

# shows NAME WORDS COMMAND...: ends with status 0 and shows the words.
shows() {
    name="$1"; words="$2"; shift 2
    echo "@@lab begin $name"
    "$@" >/tmp/shown 2>&1 && tr '\n' ' ' </tmp/shown | tr -s ' ' | grep -qF -- "$words"
    verdict "$name" $?
}

# measures NAME COMMAND...: leaves a record in which every I/O ended well, moved all its bytes and, where it
# was checked, gave back what was written. An emulated machine keeps no time: checks of pace do not count.
measures() {
    name="$1"; shift
    echo "@@lab begin $name"
    "$@" >/tmp/record 2>/tmp/shown
    grep -E '"explanation"' /tmp/record >>/tmp/shown
    awk '/"checks": \[/ { seen = 1 }
         seen && /"name":/ { check = $2 }
         seen && /"outcome": "fail"/ && check ~ /errors|short_transfers|verification/ { bad = 1 }
         END { exit bad || !seen }' /tmp/record
    verdict "$name" $?
}

# records NAME PATTERN: the last record matches.
records() {
    echo "@@lab begin $1"
    echo "nothing in the record matches: $2" >/tmp/shown
    grep -qE -- "$2" /tmp/record
    verdict "$1" $?
}

# refuses NAME WORDS COMMAND...: ends with another status, neither a panic nor a signal, and shows the words.
refuses() {
    name="$1"; words="$2"; shift 2
    echo "@@lab begin $name"
    "$@" >/tmp/shown 2>&1
    status=$?
    { [ $status -gt 0 ] && [ $status -lt 101 ] && tr '\n' ' ' </tmp/shown | tr -s ' ' | grep -qF -- "$words"; }
    verdict "$name" $?
}

# skips NAME REASON
skips() {
    echo "@@lab begin $1"
    echo "$2"
    echo "@@lab skip $1"
}

# load [MODULE PARAMETER...]: all modules in order; the parameters are for that module alone.
load() {
    chosen="$1"; [ $# -gt 0 ] && shift
    while read -r module; do
        [ -d "/sys/module/$module" ] && continue
        if [ "$module" = "$chosen" ]; then insmod "/modules/$module.ko" "$@"; else insmod "/modules/$module.ko"; fi
    done </modules/order
}

# settle PATTERN COUNT: waits until so many paths match, at most ten seconds.
settle() {
    turn=0
    while [ "$(ls -d $1 2>/dev/null | wc -l)" -lt "$2" ] && [ $turn -lt 100 ]; do sleep 0.1; turn=$((turn + 1)); done
}

# controller SERIAL: the name of the NVMe controller with that serial number, as nvme0.
controller() {
    for dir in /sys/class/nvme/*; do
        [ "$(tr -d ' ' <"$dir/serial")" = "$1" ] && basename "$dir"
    done
}
