# NVMe over TCP between fathom and the kernel, as `cargo lab fabrics` runs it in its guest. Both ends are on its
# loopback.
. /words.sh

load brd rd_nr=2 rd_size=65536
ip link set lo up
mkdir -p /etc/nvme /mnt
host=nqn.2014-08.org.nvmexpress:uuid:0b5a8a1e-3c0a-4a86-9d4f-2f0d2f6f5a11
echo $host >/etc/nvme/hostnqn
echo 0b5a8a1e-3c0a-4a86-9d4f-2f0d2f6f5a11 >/etc/nvme/hostid
nqn=nqn.2014-08.org.nvmexpress:uuid:7a1c5c4e-0000-4000-8000-000000000001
at="-t tcp -a 127.0.0.1 -s 4420"

# serve BACKEND...: a target that is ready.
serve() {
    : >/tmp/target
    fathom nvmet --nqn $nqn "$@" >/tmp/target 2>/tmp/target.err &
    target=$!
    turn=0
    while ! grep -q "Ctrl-C" /tmp/target && [ $turn -lt 200 ]; do sleep 0.1; turn=$((turn + 1)); done
}

# served NAME: ends the target as Ctrl-C does, which must end well.
served() {
    echo "@@lab begin $1"
    kill -INT $target
    wait $target
    status=$?
    cat /tmp/target /tmp/target.err >/tmp/shown
    grep -q "^Served" /tmp/target || status=1
    verdict "$1" $status
}

# connect NAME OPTION...: the kernel connects, and the first namespace appears.
connect() {
    name="$1"; shift
    works "$name" nvme connect $at -n $nqn "$@"
    settle '/dev/nvme*n1' 1
    disk=$(ls /dev/nvme*n1 | head -n 1)
    settle '/sys/class/nvme/nvme*' 1
    ctrl=/dev/$(basename "$(ls -d /sys/class/nvme/nvme* | head -n 1)")
    turn=0
    while [ ! -b "$disk" ] && [ $turn -lt 100 ]; do sleep 0.1; turn=$((turn + 1)); disk=$(ls /dev/nvme*n1 | head -n 1); done
    id=$(cat /sys/block/${disk#/dev/}/wwid)
}

disconnect() {
    shows "$1" "disconnected 1" nvme disconnect -n $nqn
}

# Without a seed: blocks of an earlier run are not taken for those of this one.
checked="--verify at-end --count 400 --depth 16 --json"

# The kernel's host: what it is told, and what it does.
serve memory:64MiB null:1GiB
shows "discovery lists the subsystem" "subnqn: $nqn" nvme discover $at
shows "discovery names the address that was asked" "traddr: 127.0.0.1" nvme discover $at
connect "the kernel connects" -i 2
shows "list has both namespaces" "fathom" nvme list
shows "list-subsys has the transport" "tcp traddr=127.0.0.1,trsvcid=4420" nvme list-subsys
shows "id-ctrl" "mn : fathom" nvme id-ctrl $ctrl
shows "id-ctrl names the subsystem" "$nqn" nvme id-ctrl $ctrl
shows "id-ns has the size" "nsze : 0x20000" nvme id-ns $disk
shows "ns-descs has the identifiers" "uuid" nvme ns-descs $disk
shows "smart-log" "available_spare" nvme smart-log $ctrl
works "effects-log" nvme effects-log $ctrl
works "error-log" nvme error-log $ctrl
works "fw-log" nvme fw-log $ctrl
shows "get-feature has the queues granted" "0x" nvme get-feature -f 7 $ctrl
shows "get-property reads the configuration" "460001" nvme get-property $ctrl -o 0x14
works "list-ns" nvme list-ns $ctrl
head -c 512 /dev/urandom >/tmp/block
works "nvme write at the last block" nvme write $disk -s 131071 -c 0 -z 512 -d /tmp/block
works "nvme read at the last block" nvme read $disk -s 131071 -c 0 -z 512 -d /tmp/back
works "it is what was written" cmp /tmp/block /tmp/back
refuses "a read beyond the end is refused" "LBA" nvme read $disk -s 131072 -c 0 -z 512 -d /tmp/back
works "nvme flush" nvme flush $disk -n 1
works "nvme dsm" nvme dsm $disk -n 1 -d -s 0 -b 8
refuses "an opcode that the target lacks is refused" "Invalid Command Opcode" nvme write-zeroes $disk -n 1 -s 0 -c 7
refuses "format is refused" "" nvme format $disk -n 1 -l 0 -f
works "after refusals the connection still carries I/O" nvme read $disk -s 0 -c 0 -z 512 -d /tmp/back
measures "fathom verifies over the kernel's host" fathom run --target $disk --rw randrw --bs 4k --destroy $id $checked
measures "sizes from 512 bytes to 256 KiB" fathom run --target $disk --rw randrw --bs 512-256k/512 --destroy $id $checked
measures "trims and flushes as NVMe commands" fathom run --target /dev/ng${disk#/dev/nvme} --rw randrw --trim-share 10% --flush-every 16 --verify on-read --count 400 --depth 8 --destroy $id --json
if [ -x /bin/fio ]; then
    works "fio verifies" fio --name=a --filename=$disk --rw=randrw --bs=4k --size=4m --iodepth=16 --ioengine=libaio --direct=1 --verify=crc32c --thread
else
    skips "fio" "no fio on the building machine"
fi
works "nvme reset" nvme reset $ctrl
works "I/O after the reset" sh -c "turn=0; until dd if=$disk of=/dev/null bs=4k count=16 iflag=direct 2>/dev/null || [ \$turn -gt 50 ]; do sleep 0.2; turn=\$((turn + 1)); done; [ \$turn -le 50 ]"
works "ns-rescan" nvme ns-rescan $ctrl
disconnect "the kernel disconnects"

# What a host can ask of a connection.
connect "both digests" -i 1 --hdr-digest --data-digest
measures "verified with digests" fathom run --target $disk --rw randrw --bs 4k-64k/4k --destroy $id $checked
disconnect "digests disconnected"
connect "no flow control of the submission queue" -i 1 --disable-sqflow
measures "verified without flow control" fathom run --target $disk --rw randrw --bs 4k-64k/4k --destroy $id $checked
disconnect "no flow control disconnected"
connect "queues of 16" -i 1 --queue-size 16
measures "verified with queues of 16" fathom run --target $disk --rw randrw --bs 4k-64k/4k --destroy $id $checked
disconnect "queues of 16 disconnected"
rounds=20; [ $short = 1 ] && rounds=3
works "$rounds times connected and disconnected" sh -c "for i in \$(seq $rounds); do nvme connect $at -n $nqn -i 1 && nvme disconnect -n $nqn || exit 1; done"
served "the target ends well"
works "no host broke the protocol" grep -q " 0 ended for a breach" /tmp/target

# Who may connect, and what may be written.
serve memory:16MiB --allow-host nqn.2014-08.org.nvmexpress:uuid:somebody-else
refuses "a host that is not allowed is refused" "could not add new controller" nvme connect $at -n $nqn
shows "and told that it is an invalid host" "host" sh -c "dmesg | tail -n 5 | tr A-Z a-z"
shows "discovery shows it nothing" "Number of Records 0" nvme discover $at
served "the target of another host ends well"
serve /dev/ram0
connect "a block device is served"
works "it is read-only to the kernel" sh -c "[ \$(cat /sys/block/$(basename $disk)/ro) = 1 ]"
measures "reads of a block device" fathom run --target $disk --rw randread --count 400 --depth 16 --json
disconnect "the block device disconnected"
served "the target of a block device ends well"
serve /dev/ram0 /dev/ram1 --stripe 64k --writable --destroy ram0-67108864 --destroy ram1-67108864
connect "a stripe over two devices"
measures "verified on a stripe" fathom run --target $disk --rw randrw --bs 4k-256k/4k --destroy $id $checked
disconnect "the stripe disconnected"
served "the target of a stripe ends well"
serve sim:nvme --delay constant:1ms
connect "a simulated device with a delay"
measures "reads behind a delay" fathom run --target $disk --rw randread --count 400 --depth 4 --json
works "none is faster than the delay" awk '/"service": / { of = 1 } of && /"min_ns": [0-9]/ { gsub(/[^0-9]/, ""); if ($0 + 0 < 1000000) bad = 1; seen = 1; of = 0 } END { exit bad || !seen }' /tmp/record
disconnect "the simulated device disconnected"
served "the target of a simulated device ends well"

serve memory:64MiB
connect "a disk for a file system"
mke2fs $disk >/dev/null 2>&1
if mount -t ext4 $disk /mnt 2>/tmp/shown; then
    head -c 3000000 /dev/urandom >/tmp/file
    works "a file system takes a file" sh -c "cp /tmp/file /mnt/file && sync && umount /mnt"
    mount -t ext4 $disk /mnt
    works "and gives it back" cmp /tmp/file /mnt/file
    umount /mnt
else
    skips "a file system" "$(cat /tmp/shown)"
fi
disconnect "the file system's disk disconnected"
served "the target of a file system ends well"

# The target dies under load and comes back: the kernel reconnects, and no I/O is lost.
serve null:1GiB
connect "a target that will be killed" -i 1 --reconnect-delay=1 --ctrl-loss-tmo=120
dd if=$disk of=/dev/null bs=4k count=3000 iflag=direct >/tmp/dd 2>&1 &
reader=$!
sleep 1
kill -KILL $target
wait $target 2>/dev/null
sleep 2
serve null:1GiB
works "reads go on after the target came back" wait $reader
works "and the device works" dd if=$disk of=/dev/null bs=4k count=16 iflag=direct
disconnect "the killed target's host disconnected"
served "the target that came back ends well"

# fathom's host against the kernel's target: a disk of memory and a file, and queues that are not granted.
mount -t configfs none /sys/kernel/config 2>/dev/null
sub=/sys/kernel/config/nvmet/subsystems/$nqn
if mkdir -p $sub 2>/tmp/shown; then
    # Blocks that the stripe left there name other places.
    dd if=/dev/zero of=/dev/ram0 bs=1M 2>/dev/null
    mke2fs /dev/ram1 >/dev/null 2>&1
    mkdir -p /mnt && mount -t ext4 /dev/ram1 /mnt && head -c 16777216 /dev/zero >/mnt/disk
    echo 1 >$sub/attr_allow_any_host
    number=1
    for path in /dev/nullb0 /dev/ram0 /mnt/disk; do
        mkdir -p $sub/namespaces/$number
        echo $path >$sub/namespaces/$number/device_path
        echo 1 >$sub/namespaces/$number/enable
        number=$((number + 1))
    done
    port=/sys/kernel/config/nvmet/ports/1
    mkdir -p $port
    echo ipv4 >$port/addr_adrfam
    echo tcp >$port/addr_trtype
    echo 127.0.0.1 >$port/addr_traddr
    echo 4420 >$port/addr_trsvcid
    ln -s $sub $port/subsystems/$nqn
    uri=nvme+tcp://127.0.0.1/$nqn
    measures "fathom's host reads the kernel's null_blk" fathom run --target $uri/1 --rw randread --count 400 --depth 16 --json
    records "the engine is fathom's own" '"name": "nvme-tcp"'
    measures "fathom's host verifies the kernel's brd" fathom run --target $uri/2 --rw randrw --bs 4k-64k/4k --destroy $nqn/2 $checked
    measures "fathom's host verifies the kernel's file" fathom run --target $uri/3 --rw randrw --bs 4k --destroy $nqn/3 $checked
    measures "two jobs have two queues" fathom run --target $uri/1 --rw randread --jobs 2 --count 400 --depth 8 --json
    (sleep 2; echo 0 >$sub/namespaces/2/enable; sleep 1; echo 1 >$sub/namespaces/2/enable) &
    changer=$!
    measures "reads go on while another namespace changes" fathom run --target $uri/1 --rw randread --time 8s --depth 4 --json
    records "and the kernel's event is in the record" '"name": "controller_event"'
    wait $changer
    refuses "a namespace that is not there is refused" "namespace" fathom run --target $uri/9 --count 10
    rm $port/subsystems/$nqn
    rmdir $port
    for number in 1 2 3; do rmdir $sub/namespaces/$number; done
    rmdir $sub
    umount /mnt
else
    skips "the kernel's target" "$(cat /tmp/shown)"
fi

# fathom at both ends.
serve memory:64MiB
uri=nvme+tcp://127.0.0.1/$nqn
measures "fathom's host verifies fathom's target" fathom run --target $uri --rw randrw --bs 512-256k/512 --destroy $nqn/1 $checked
served "the target of fathom's host ends well"
serve sim:nvme --delay constant:1ms
measures "fathom's host behind fathom's delay" fathom run --target $uri --rw randread --count 400 --depth 4 --json
works "none of its reads is faster than the delay" awk '/"service": / { of = 1 } of && /"min_ns": [0-9]/ { gsub(/[^0-9]/, ""); if ($0 + 0 < 1000000) bad = 1; seen = 1; of = 0 } END { exit bad || !seen }' /tmp/record
served "the target behind a delay ends well"

# What binds a namespace behind a network: the network's delay, its losses, and neither. lo is passed in both directions.
# explained OPTION...: the cause that an explanation names first, in /tmp/cause.
explained() {
    fathom explain --experiments $uri --time 4s --rest 0 --max-experiments 1 --json "$@" >/tmp/record 2>/tmp/shown
    grep -E '"(limit|text|probability)"' /tmp/record | head -n 16 >>/tmp/shown
    grep -m 1 -o '"limit": *"[a-z_]*"' /tmp/record | cut -d '"' -f 4 >/tmp/cause
}

# binds NAME CAUSE OPTION...: it is this one.
binds() {
    name="$1"; cause="$2"; shift 2
    echo "@@lab begin $name"
    explained "$@"
    [ "$(cat /tmp/cause)" = "$cause" ]
    verdict "$name" $?
}

# spares NAME CAUSE OPTION...: it is another one. An emulated machine's own unevenness may be what is named.
spares() {
    name="$1"; cause="$2"; shift 2
    echo "@@lab begin $name"
    explained "$@"
    [ -s /tmp/cause ] && [ "$(cat /tmp/cause)" != "$cause" ]
    verdict "$name" $?
}
[ $short = 1 ] && exit 0
serve memory:64MiB
if [ -x /bin/netem ] && netem qdisc add dev lo root netem delay 25ms 2>/tmp/shown; then
    binds "a long way is the network's round trip" round_trip --rw randread --bs 4k --depth 1
    netem qdisc change dev lo root netem loss 2%
    binds "losses are the network's" network_loss --rw randwrite --bs 64k --depth 8 --destroy $nqn/1
    netem qdisc del dev lo root
else
    skips "a network that delays and loses" "$(cat /tmp/shown)"
fi
served "the target behind a network ends well"
serve sim:nvme --delay constant:5ms
spares "a slow target is not the network's round trip" round_trip --rw randread --bs 4k --depth 1
served "the slow target ends well"
