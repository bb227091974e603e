# Shared by .ci/torch-roots, .ci/release and .ci/chroot, after .ci/lib.sh: root file systems of Debian.
# The mirror and its keys are those of this machine's apt.

# need_root NAME: of the command that calls.
need_root() { [ "$(id -u)" -eq 0 ] || fail "$1 needs root: it makes root file systems and mounts into them"; }

need_debootstrap() { command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"; }

# Nothing where apt has none: debootstrap knows one, too.
mirror() {
  sed -n 's/^URIs: *\([^ ]*debian\)\/* *$/\1/p; s/^deb  *\(\[[^]]*\] *\)*\([^ ]*debian\)\/*  *bookworm .*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null | head -n 1
}

# bootstrap SUITE FOLDER OPTION...: a minimal Debian in FOLDER, that reaches the mirror as this machine does.
# What debootstrap mounts goes with it, also where it is killed.
bootstrap() {
  suite=$1 folder=$2
  shift 2
  # shellcheck disable=SC2046
  unshare --mount --propagation private debootstrap --variant=minbase "$@" "$suite" "$folder" $(mirror) || return 1
  cp /etc/hosts /etc/resolv.conf "$folder/etc/" || return 1
  for file in /etc/apt/apt.conf.d/*; do
    if grep -qE 'Acquire::(Check|http|https)' "$file"; then cp "$file" "$folder$file"; fi
  done
}

# In a mount namespace of its own, where they vanish with it.
mount_kernel_folders() {
  mount -t proc proc "$1/proc"
  mount --rbind /sys "$1/sys"
  mount --rbind /dev "$1/dev"
}
