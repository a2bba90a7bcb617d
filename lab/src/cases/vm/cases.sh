# Cases of verdicts, as `cargo lab cases` runs them in its guest.
. /words.sh

load
mkdir -p /sys/kernel/config
mount -t configfs none /sys/kernel/config
settle '/dev/nvme*n1' 6

# asks ID ARGUMENTS...: shows the record of an explanation.
asks() {
    id="$1"; shift
    rm -f /tmp/record.json
    fathom explain --experiments --quiet --max-experiments $experiments --time ${seconds}s "$@" \
        --json=/tmp/record.json --store /tmp/runs.sqlite >/tmp/shown 2>&1
    if [ -s /tmp/record.json ]; then
        cat /tmp/record.json
        echo
        echo "== report"
        cat /tmp/shown
        echo "@@lab pass $id"
    else
        tail -n 5 /tmp/shown
        echo "@@lab fail $id"
    fi
}

# namespace SERIAL: the block device of a controller.
namespace() {
    number=$(controller "$1")
    [ -b "/dev/${number}n1" ] || { echo "no namespace of $1" >&2; return 1; }
    echo "/dev/${number}n1"
}

# null_device MEBIBYTES KEY=VALUE...: a device without a medium, whose times are the kernel's.
null_device() {
    place=/sys/kernel/config/nullb/lab
    mkdir "$place" || return 1
    echo "$1" >"$place/size"; shift
    echo 2 >"$place/irqmode"
    echo 1 >"$place/submit_queues"
    for setting in "$@"; do
        echo "${setting#*=}" >"$place/${setting%%=*}" || return 1
    done
    echo 1 >"$place/power" || return 1
    mdev -s 2>/dev/null
    # Newer kernels name it as its folder.
    for device in /dev/lab "/dev/nullb$(cat "$place/index")"; do
        [ -b "$device" ] && echo "$device" && return 0
    done
    echo "no block device of null_blk came up" >&2
    return 1
}

null_gone() {
    echo 0 >/sys/kernel/config/nullb/lab/power
    rmdir /sys/kernel/config/nullb/lab
}

# delayed MILLISECONDS: a disk in memory, late.
delayed() {
    [ -x /bin/dmsetup ] || { echo "no dmsetup on the building machine" >&2; return 1; }
    [ -b /dev/ram0 ] || { echo "no /dev/ram0" >&2; return 1; }
    dd if=/dev/urandom of=/dev/ram0 bs=64k count=128 2>/dev/null
    mkdir -p /dev/mapper
    echo "0 16384 delay /dev/ram0 0 $1" | dmsetup --noudevsync create late || return 1
    mdev -s 2>/dev/null
    echo /dev/dm-0
}

delay_gone() {
    dmsetup --noudevsync remove late
}

# remote RATE: a disk in memory behind NVMe/TCP on a loopback that carries no more than RATE.
remote() {
    [ -x /bin/tc ] || { echo "no tc on the building machine" >&2; return 1; }
    [ -d /sys/kernel/config/nvmet ] || { echo "no nvmet in this kernel" >&2; return 1; }
    ip link set lo up
    ip address add 127.0.0.1/8 dev lo 2>/dev/null
    subsystem=/sys/kernel/config/nvmet/subsystems/lab
    mkdir -p $subsystem/namespaces/1 /sys/kernel/config/nvmet/ports/1 || return 1
    echo 1 >$subsystem/attr_allow_any_host
    echo -n /dev/ram0 >$subsystem/namespaces/1/device_path
    echo 1 >$subsystem/namespaces/1/enable || return 1
    port=/sys/kernel/config/nvmet/ports/1
    echo tcp >$port/addr_trtype
    echo ipv4 >$port/addr_adrfam
    echo 127.0.0.1 >$port/addr_traddr
    echo 4420 >$port/addr_trsvcid
    ln -s $subsystem $port/subsystems/lab || return 1
    mdev -s 2>/dev/null
    before=$(ls /sys/class/nvme)
    echo "transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn=lab,hostnqn=nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000001" >/dev/nvme-fabrics || return 1
    /bin/tc qdisc add dev lo root tbf rate "$1" burst 256kb latency 400ms >&2 || return 1
    sleep 1
    mdev -s 2>/dev/null
    for name in $(ls /sys/class/nvme); do
        case " $(echo $before) " in
        *" $name "*) ;;
        *) for disk in /dev/${name}n1; do [ -b "$disk" ] && echo "$disk" && return 0; done ;;
        esac
    done
    echo "no remote namespace came up" >&2
    return 1
}

remote_gone() {
    /bin/tc qdisc del dev lo root
    for device in /sys/class/nvme/*; do
        [ "$(cat $device/transport)" = tcp ] && echo 1 >$device/delete_controller
    done
}
