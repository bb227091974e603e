#!/bin/sh
# Makes the manual pages of a program from its own --help.
# usage: man.sh PROGRAM VERSION FOLDER
set -eu
program=$1 version=$2 folder=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"

# page NAME VERB...: examples are told by their prompt.
page() {
  name=$1
  shift
  printf '#!/bin/sh\n"%s" %s --help | sed "s/^  \\(sluice\\) /  \\$ \\1 /"\n' "$program" "$*" >"$work/$name"
  chmod +x "$work/$name"
  summary=$("$program" "$@" --help | sed -n '1{s/: runs an input.*//;p}')
  help2man --no-info --no-discard-stderr --version-string="sluice $version" --name="$summary" \
    "$work/$name" >"$work/page"
  sed "s/^sluice \\\\- /$name \\\\- /" "$work/page" >"$folder/$name.1"
}

page sluice
for verb in run wrap doctor top ls topology sim version; do page "sluice-$verb" "$verb"; done
page sluice-data-make data make
page sluice-bench-autotune bench autotune
