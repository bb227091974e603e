# Shared by ./run, ./test and .ci/*: packages, steps with a log each, configure and build.
# POSIX sh: it must work on a machine that has nothing but Debian's essential packages.
# The caller sets `root`, the folder of the clone.

logs=$root/build/logs
prepare_failed=70

say() { printf 'sluice: %s\n' "$*"; }

fail() {
  printf 'sluice: %s\n' "$*" >&2
  exit "$prepare_failed"
}

seconds() { date +%s; }

# step NAME LABEL COMMAND...: runs the command with its output in build/logs/NAME.log, shows that it is
# alive, and stops the script with the log's tail when it fails.
step() {
  step_log=$logs/$1.log step_label=$2 step_start=$(seconds)
  shift 2
  mkdir -p "$logs"
  : >"$step_log"
  show_progress &
  step_ticker=$!
  trap 'kill "$step_ticker" 2>/dev/null' EXIT
  trap 'clear_line; exit 130' INT TERM
  step_rc=0
  "$@" >"$step_log" 2>&1 || step_rc=$?
  kill "$step_ticker" 2>/dev/null || true
  wait "$step_ticker" 2>/dev/null || true
  trap - EXIT INT TERM
  clear_line
  if [ "$step_rc" -ne 0 ]; then
    tail -n 40 "$step_log" >&2
    fail "$step_label failed with exit code $step_rc after $(($(seconds) - step_start)) s; the whole log is $step_log"
  fi
  say "$step_label: $(($(seconds) - step_start)) s"
}

clear_line() { if [ -t 1 ]; then printf '\r\033[K'; fi; }

# On a terminal one line that changes every second, otherwise a line now and every half minute.
show_progress() {
  [ -t 1 ] || say "$step_label ..."
  while sleep 1 >/dev/null 2>&1 9>&-; do
    kill -0 "$$" 2>/dev/null || exit 0
    elapsed=$(($(seconds) - step_start))
    if [ -t 1 ]; then
      printf '\r\033[Ksluice: %s %s s  %s' "$step_label" "$elapsed" "$(last_line)"
    elif [ $((elapsed % 30)) -eq 0 ]; then
      say "$step_label ... $elapsed s  $(last_line)"
    fi
  done
}

last_line() { tail -c 400 "$step_log" | tr '\r' '\n' | tail -n 1 | tr -dc '[:print:]' | cut -c 1-60; }

# packages SECTION...: the names in these sections of .ci/packages.txt.
packages() {
  wanted=" $* " section=
  while read -r line; do
    case $line in
      '' | '#'*) ;;
      '['*']') section=${line#[} section=${section%]} ;;
      *) case $wanted in *" $section "*) printf '%s ' "$line" ;; esac ;;
    esac
  done <"$root/.ci/packages.txt"
}

missing_packages() {
  # shellcheck disable=SC2046
  installed=" $(dpkg-query -W -f='${db:Status-Status}=${Package} ' $(packages "$@") 2>/dev/null || true) "
  for package in $(packages "$@"); do
    case $installed in *" installed=$package "*) ;; *) printf '%s ' "$package" ;; esac
  done
}

# need_packages SECTION...: installs what is missing from these sections.
need_packages() {
  [ -z "${SLUICE_NO_INSTALL:-}" ] || return 0
  command -v dpkg-query >/dev/null || fail "this is not a Debian system. Install what $root/.ci/packages.txt lists and set SLUICE_NO_INSTALL=1"
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  find_root_rights
  # shellcheck disable=SC2086
  set -- $missing
  step apt-update "reading Debian's package lists" apt_get update
  step apt-install "installing $# Debian packages" apt_get install --yes --no-install-recommends "$@"
}

find_root_rights() {
  as_root=
  [ "$(id -u)" -ne 0 ] || return 0
  as_root=sudo
  if command -v sudo >/dev/null; then
    if sudo -n true 2>/dev/null; then return 0; fi
    if [ -t 0 ] && sudo -v; then return 0; fi
  fi
  fail "packages are missing and this user may not install them. As root, run:
    apt-get update && apt-get install --yes --no-install-recommends $missing"
}

apt_get() {
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 "$@"
}

# Puts promtool on PATH: Debian's package is unpacked, not installed.
need_promtool() {
  tools=$root/build/tools
  PATH=$PATH:$tools/usr/bin
  export PATH
  command -v promtool >/dev/null && return 0
  [ -z "${SLUICE_NO_INSTALL:-}" ] || return 0
  step promtool "fetching promtool" unpack_packages
}

unpack_packages() {
  rm -rf "$tools" && mkdir -p "$tools" && cd "$tools" || return 1
  # shellcheck disable=SC2046
  download_packages $(packages unpack) || return 1
  for deb in *.deb; do dpkg-deb -x "$deb" . || return 1; done
  rm -f ./*.deb
  cd "$root"
}

download_packages() {
  apt-get download "$@" && return 0
  find_root_rights
  apt_get update && apt-get download "$@"
}

# One compiler per core, but no more than the memory holds at 1.5 GB each.
jobs() {
  cores=$(nproc) memory_kb=$(available_memory_kb)
  by_memory=$((memory_kb / 1500000))
  [ "$by_memory" -ge 1 ] || by_memory=1
  if [ "$cores" -lt "$by_memory" ]; then echo "$cores"; else echo "$by_memory"; fi
}

available_memory_kb() {
  free_kb=
  while read -r key value _; do
    [ "$key" != MemAvailable: ] || free_kb=$value
  done 2>/dev/null </proc/meminfo || true
  for limit_file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
    limit=
    read -r limit 2>/dev/null <"$limit_file" || continue
    case $limit in *[!0-9]* | '' | ?????????????????*) continue ;; esac
    [ $((limit / 1024)) -gt "${free_kb:-0}" ] || free_kb=$((limit / 1024))
  done
  echo "${free_kb:-1500000}"
}

# configure PRESET CACHE_ENTRY...: runs CMake unless build/PRESET already is configured that way.
configure() {
  preset=$1 build=$root/build/$1
  shift
  if configured "$@"; then return 0; fi
  fresh=
  grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" || fresh=--fresh
  launcher=
  if command -v ccache >/dev/null; then launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
  # shellcheck disable=SC2086
  step "configure-$preset" "configuring ($preset)" \
    cmake -S "$root" --preset "$preset" $fresh $launcher "$@"
}

configured() {
  [ -f "$build/build.ninja" ] || return 1
  grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" || return 1
  for entry in "$@"; do
    entry=${entry#-D}
    grep -qx "${entry%%=*}:[A-Z]*=${entry#*=}" "$build/CMakeCache.txt" || return 1
  done
}

# need_window PRESET: what was configured before the window's packages were there knows nothing of it.
need_window() {
  need_packages ui
  grep -q 'bin/sluice-ui' "$root/build/$1/build.ninja" || step "configure-$1" "configuring ($1)" cmake "$root/build/$1"
}

# build PRESET TARGET...
# Clones on one machine share what ccache keeps: paths below the clone count as relative ones. ccache puts in the values of
# variables that it finds in CCACHE_BASEDIR, once: a path with a dollar sign in it has to come out of one. The language of warnings
# is no difference.
build() {
  preset=$1
  shift
  # shellcheck disable=SC2016
  export SLUICE_CLONE="$root" CCACHE_BASEDIR='$SLUICE_CLONE' CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-locale}"
  step "build-$preset" "building ($preset)" \
    cmake --build "$root/build/$preset" --parallel "$(jobs)" --target "$@"
}
