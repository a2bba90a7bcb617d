#!/bin/busybox sh
# The first process of a guest: what a shell needs, then the script, then the end of the machine.
/bin/busybox mkdir -p /bin /proc /sys /dev /tmp /mnt
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
export HOME=/tmp
sh /script.sh
echo "@@lab end"
poweroff -f
