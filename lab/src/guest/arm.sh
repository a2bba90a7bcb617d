# Linux on Arm, as `cargo lab arm` runs it in its guest.
. /words.sh

load
settle '/dev/vda' 1
short="--count 3000 --depth 16 --seed 1 --json"

shows "the machine is Arm" "aarch64" uname -m
shows "the kernel keeps time with the architecture's counter" "arch_sys_counter" cat /sys/devices/system/clocksource/clocksource0/current_clocksource
shows "devices lists the disk" "vda" fathom devices
works "doctor" fathom doctor

works "a file system" mke2fs -F /dev/vda
works "it is mounted" mount -t ext4 /dev/vda /mnt
# On the disk, as the first root takes no direct I/O; what allocates ahead not, as this mke2fs makes files without extents.
TMPDIR=/mnt conforms "conformance of all engines" conformance:: --skip space_and_lengths
mkdir /room
works "a file system in memory" mount -t tmpfs room /room
TMPDIR=/room conforms "conformance of calls about space" conformance::space_and_lengths
for engine in uring aio sync; do
    measures "verified writes by $engine" fathom run --target /mnt --size 32MiB --engine $engine --rw randrw --bs 4k --verify at-end $short
    records "$engine is stamped by Arm's counter" '"source": "cntvct"'
    records "$engine: the counter's rate is the one that it states" '"calibration_error_ppm": (0\.0|[0-9.]+e-)'
done
measures "two jobs" fathom run --target /mnt --size 32MiB --engine uring --jobs 2 --rw randread --bs 4k $short
records "each on a processor of its own" '"cpu": 1'
records "near their queue" '"placement": "queue [01] of vda'
measures "reads by mmap" fathom run --target /mnt --size 32MiB --engine mmap --rw randread --bs 4k $short
umount /mnt
measures "the device itself" fathom run --target /dev/vda --engine uring --rw randread --bs 4k $short
refuses "what holds data is not written" "--destroy LABARM" fathom run --target /dev/vda --rw randwrite --bs 4k $short
measures "what was permitted is written" fathom run --target /dev/vda --rw randwrite --bs 4k --verify at-end --destroy LABARM $short
