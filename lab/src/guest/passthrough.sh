# NVMe commands on the kernel's driver, as `cargo lab passthrough` runs it in its guest.
. /words.sh

load
settle '/dev/ng*n*' 5
small=$(controller LAB512) large=$(controller LAB4096) suite=$(controller LABSUITE) odd=$(controller LABODD)
small_ng=/dev/ng${small#nvme}n1 large_ng=/dev/ng${large#nvme}n1 suite_ng=/dev/ng${suite#nvme}n1
short="--count 3000 --depth 16 --seed 1 --json"

shows "devices lists the namespace's character device" "$small_ng 64 MiB NVMe commands" fathom devices
shows "its block device claims what it can" "nvme identify, nvme health" fathom devices /dev/${small}n1

# One engine after the other on the same target, each through the suite that all engines pass.
FATHOM_SCRATCH_NAMESPACE=$suite_ng conforms "conformance of passthrough" conformance::passthrough

measures "verified writes, blocks of 512" fathom run --target $small_ng --rw randrw --bs 512 --verify at-end $short
records "the record says NVMe namespace" '"kind": "nvme_namespace"'
records "the record says passthrough" '"name": "passthrough"'
records "the record has the identified controller" 'NVMe Identify Controller'
records "the record has the health log's facts" 'NVMe log page 02h'
records "the record has the health log's temperature as telemetry" '"metric": "nvme.temperature|"nvme.temperature'
measures "verified writes, blocks of 4096" fathom run --target $large_ng --rw randrw --bs 4k-64k/4k --verify at-end --flush-every 8 $short
records "registered buffers were used or their lack recorded" '"registered_buffers"'

refuses "written data is not written over unasked" "--destroy LAB512" fathom run --target $small_ng --rw randwrite $short
refuses "another disk's serial number permits nothing" "does not name the target" fathom run --target $small_ng --rw randwrite --destroy LAB4096 $short
measures "its own serial number permits it" fathom run --target $small_ng --rw randwrite --destroy LAB512 $short
measures "trims deallocate" fathom run --target $small_ng --rw randtrim --bs 64k --destroy LAB512 --count 200 --seed 1 --json
records "trims were counted" '"direction": "trim"'
measures "trims, writes, reads and flushes together" fathom run --target $large_ng --rw randrw --trim-share 10% --flush-every 16 --verify on-read --destroy LAB4096 $short
measures "trims are not bound to the transfer limit" fathom run --target $large_ng --rw randtrim --bs 1m --destroy LAB4096 --count 50 --json
measures "several jobs" fathom run --target $large_ng --jobs 3 --depth 4 --count 2000 --json
measures "an open rate" fathom run --target $large_ng --rate 500 --time 1s --warmup 0s --json

refuses "beyond the transfer limit" "131072" fathom run --target $small_ng --bs 256k $short
measures "at the transfer limit" fathom run --target $small_ng --bs 128k --count 500 --depth 4 --json
refuses "below a block" "4096" fathom run --target $large_ng --bs 512 $short
refuses "a page cache that is not there" "leave --buffered out" fathom run --target $small_ng --buffered $short
refuses "metadata" "8 bytes of metadata" fathom run --target /dev/ng${odd#nvme}n1 $short
refuses "zones" "Zoned Namespace" fathom run --target /dev/ng${odd#nvme}n2 $short
refuses "polling without poll queues" "no poll queues" fathom run --target /dev/${small}n1 --polled $short
refuses "commands to the block device" "--target $small_ng" fathom run --target /dev/${small}n1 --engine passthrough $short
refuses "commands to a folder" "/dev/ng0n1" fathom run --target /tmp --size 1MiB --buffered --engine passthrough $short
refuses "the block layer on the character device" "--target /dev/${small}n1" fathom run --target $small_ng --engine uring $short
chmod 666 $small_ng
# Since 6.2 the driver lets reads pass for whoever may open the device.
case "$(uname -r)" in
5.* | 6.[01].*) refuses "without the right" "with sudo" su -s /bin/sh nobody -c "fathom run --target $small_ng --count 10 --store /tmp/nobody.db" ;;
*) works "reads by whoever may open it" su -s /bin/sh nobody -c "fathom run --target $small_ng --count 100 --store /tmp/nobody.db --json >/tmp/nobody.json; grep -q nvme_namespace /tmp/nobody.json" ;;
esac
chmod 600 $small_ng
refuses "without access" "sudo" su -s /bin/sh nobody -c "fathom run --target $small_ng --count 10 --store /tmp/nobody.db"

# What uses the block device holds the character device too.
mke2fs /dev/${small}n1 >/dev/null 2>&1
refuses "a file system needs its permission" "ext" fathom run --target $small_ng --rw randwrite $short
mount -t ext4 /dev/${small}n1 /mnt 2>/tmp/shown || mount -t ext2 /dev/${small}n1 /mnt 2>/tmp/shown
if grep -q /mnt /proc/mounts; then
    refuses "a mounted file system holds it whatever is permitted" "is mounted at /mnt" fathom run --target $small_ng --rw randwrite --destroy LAB512 $short
    measures "reading it beside the mount" fathom run --target $small_ng $short
    umount /mnt
else
    skips "a mounted file system" "$(cat /tmp/shown)"
fi
mkswap /dev/${small}n1 >/dev/null && swapon /dev/${small}n1
refuses "swap holds it" "swapped to" fathom run --target $small_ng --rw randwrite --destroy LAB512 $short
swapoff /dev/${small}n1
fathom run --target $small_ng --rw randwrite --destroy LAB512 --time 6s --warmup 0s --json >/tmp/background 2>&1 &
sleep 2
refuses "a run holds the block device alone" "${small}n1" fathom run --target /dev/${small}n1 --rw randwrite --destroy LAB512 $short
refuses "and the character device" "writing" fathom run --target $small_ng --rw randwrite --destroy LAB512 $short
wait
if [ -x /bin/dmsetup ]; then
    mkdir -p /dev/mapper
    echo "0 65536 linear /dev/${small}n1 0" | dmsetup --noudevsync create stacked
    mdev -s 2>/dev/null
    refuses "a stack on the block device holds it" "built on" fathom run --target $small_ng --rw randwrite --destroy LAB512 $short
    measures "a stack over it is measured" fathom run --target /dev/dm-0 $short
    records "the stack's record has both layers" '"layer": "device-mapper"'
    dmsetup --noudevsync remove stacked
else
    skips "stacks" "no dmsetup on the building machine"
fi

# The same driver with queues that are polled.
echo 1 >/sys/module/nvme/parameters/poll_queues
for device in /sys/bus/pci/drivers/nvme/0*; do
    basename $device >/sys/bus/pci/drivers/nvme/unbind
done
for device in $(grep -l 0x010802 /sys/bus/pci/devices/*/class); do
    basename ${device%/class} >/sys/bus/pci/drivers/nvme/bind
done
settle '/dev/ng*n*' 5
small=$(controller LAB512) suite=$(controller LABSUITE)
small_ng=/dev/ng${small#nvme}n1 suite_ng=/dev/ng${suite#nvme}n1
# Older kernels crash when they poll for NVMe commands, which is refused there.
if fathom run --target $small_ng --polled $short 2>&1 | grep -q "can crash this kernel"; then
    refuses "polling for NVMe commands where the kernel would crash" "safe since 6.6" fathom run --target $small_ng --polled $short
    skips "polled NVMe commands" "they need Linux 6.6, and this is $(uname -r)"
else
    FATHOM_SCRATCH_NAMESPACE=$suite_ng FATHOM_SCRATCH_NAMESPACE_POLLS=1 conforms "conformance of passthrough, polled" conformance::passthrough
    measures "polled, with all directions" fathom run --target $small_ng --polled --rw randrw --trim-share 10% --flush-every 16 --verify on-read --destroy LAB512 $short
    records "polling is recorded" '"name": "polled_completions"'
fi
measures "polled reads of the block device by uring" fathom run --target /dev/${small}n1 --engine uring --polled $short
records "of its queues one is polled" '"polled_queues": 1'
measures "polled writes of the block device by uring" fathom run --target /dev/${small}n1 --engine uring --polled --rw randwrite --destroy LAB512 $short
refuses "flushes cannot be polled by uring" "leave --polled" fathom run --target /dev/${small}n1 --engine uring --polled --rw randwrite --flush-every 8 --destroy LAB512 $short
# Its verdict may say that an emulated machine measures nothing well, with status 1.
assessed() { "$@"; [ $? -le 1 ]; }
works "an assessment over NVMe commands" assessed fathom assess $small_ng --budget 20s --patterns randread-4k --json
