# Sourced by packaging/check and packaging/first_steps: checks of an installed Sluice. POSIX sh, and what every Debian has.
# The caller sets `work`, a folder for logs, `sluice`, the program, `shipped`, the folder with the scenarios, and `complete`, the path
# of complete.sh.

# try WHAT COMMAND...: a line says how it went, with the output where it failed. COMMAND runs in this shell.
try() {
  what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1)) && printf '  passed  %s\n' "$what"
  else
    failed=$((failed + 1)) && printf '  FAILED  %s\n' "$what" && sed 's/^/    /' "$work/log"
  fi
}
passed=0 failed=0

built_from() { "$sluice" version --build | grep '^commit  *\([0-9a-f]\{40\}\|unknown\)'; }

# own_libraries PREFIX: whatever is not of the C and C++ runtime comes along with the program.
own_libraries() {
  for file in "$1/bin/sluice" "$1/lib/libsluice.so.1"; do
    ldd "$file" | grep -v -e '/lib/sluice/lib' -e 'lib\(c\|m\|gcc_s\|stdc++\)\.so' -e linux-vdso -e ld-linux && return 1
  done
  return 0
}

# pictures SLUICE FOLDER: of a run that it records there first.
pictures() {
  rm -f "$2/run.sluice" "$2/run.png"
  "$1" run "$shipped/scenarios/noop.toml" --quiet --duration 2s --record "$2/run.sluice" &&
    "$1" ui "$2/run.sluice" --screenshot "$2/run.png" && [ "$(head -c 4 "$2/run.png" | tail -c 3)" = PNG ]
}

# measures PYTHON...: a loop without a DataLoader, by the package alone.
measures() { "$@" -c 'import sluice; assert list(sluice.measure(range(5), name="loop")) == list(range(5))'; }

# has_manual PREFIX: a page for each verb, with its options.
has_manual() {
  for verb in run wrap doctor top ls topology sim version data-make bench-autotune; do
    zgrep -q "^sluice-$verb .. " "$1/share/man/man1/sluice-$verb.1"* || return 1
  done
  zgrep -q failed "$1/share/man/man1/sluice-run.1"* && zgrep -q repro "$1/share/man/man1/sluice-wrap.1"*
}

# completes SHELL SHARE: an option, a value, a verb, a verb of a verb.
completes() {
  "$complete" "$1" "$2" "sluice run --fai" | grep -q -- --failed-rows &&
    "$complete" "$1" "$2" "sluice wrap --repro s" | grep -q strict &&
    "$complete" "$1" "$2" "sluice da" | grep -q data &&
    "$complete" "$1" "$2" "sluice bench autotune --che" | grep -q -- --check
}
