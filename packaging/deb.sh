#!/bin/sh
# Makes the Debian packages of trees that packaging/build has made: sluice, python3-sluice and sluice-ui.
# usage: deb.sh TREE VERSION OUT WINDOW      (SOURCE_DATE_EPOCH is set)
set -eu
tree=$1 version=$2-1 out=$3 window=$4
arch=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
maintainer="The Sluice maintainers <maintainers@sluice.invalid>" # a field that has to be there

# Under /usr the tree is as anywhere else, but for what Debian has its own places for.
lay_out_sluice() {
  mkdir -p "$package"
  cp -R "$tree" "$package/usr"
  cd "$package/usr/share"
  mkdir -p zsh/vendor-completions
  mv zsh/site-functions/_sluice zsh/vendor-completions/
  rmdir zsh/site-functions
  gzip -9n man/man1/*
  gzip -9nc doc/sluice/CHANGELOG.md >doc/sluice/changelog.gz
  rm doc/sluice/CHANGELOG.md doc/sluice/LICENSE
  cd "$package"
  chmod 644 usr/lib/*.so*
  overrides <<'END_OF_OVERRIDES'
# The same file runs on Debian 12, 13 and unstable, which have other versions of these libraries: they come along, in a private
# folder, each as its Debian 12 package has it.
sluice: embedded-library *
# A program with a C interface, not a library package: nothing else in Debian links it.
sluice: package-name-doesnt-match-sonames *
END_OF_OVERRIDES
  echo 'libsluice 1 sluice' >DEBIAN/shlibs
  echo 'activate-noawait ldconfig' >DEBIAN/triggers
  # What Python compiles is no file of the package, so dpkg would leave it behind.
  cat >DEBIAN/postinst <<'END_OF_SCRIPT'
#!/bin/sh
set -e
if [ "$1" = configure ] && [ -z "${DPKG_ROOT:-}" ] && command -v py3compile >/dev/null; then
  py3compile -p sluice /usr/lib/sluice/python
fi
END_OF_SCRIPT
  cat >DEBIAN/prerm <<'END_OF_SCRIPT'
#!/bin/sh
set -e
find "${DPKG_ROOT:-}/usr/lib/sluice/python" -name __pycache__ -prune -exec rm -rf {} +
END_OF_SCRIPT
  chmod 755 DEBIAN/postinst DEBIAN/prerm
}

# One copy: that of the program, which `sluice wrap` takes into any Python.
lay_out_python() {
  mkdir -p "$package/usr/lib/python3/dist-packages"
  ln -s ../../sluice/python/sluice "$package/usr/lib/python3/dist-packages/sluice"
}

# Those of the C and C++ runtime; all others are in the package.
runtime_libraries() {
  mkdir -p "$work/debian"
  printf 'Source: sluice\n\nPackage: sluice\nArchitecture: any\n' >"$work/debian/control"
  (cd "$work" && find sluice/usr -type f \( -path '*/bin/*' -o -name '*.so*' \) -exec \
    dpkg-shlibdeps -O --ignore-missing-info -Ssluice -lsluice/usr/lib/sluice {} + | sed -n 's/^shlibs:Depends=//p')
}

# The window's: those of a desktop as well. It is looked at where all that sluice has lies beside it, as it will.
window_libraries() {
  mkdir -p "$work/both/DEBIAN" "$work/both/usr/lib"
  cp -R "$package/usr/bin" "$work/both/usr/"
  cp -R "$work/sluice/usr/lib/sluice" "$work/both/usr/lib/"
  cp "$package"/usr/lib/sluice/* "$work/both/usr/lib/sluice/"
  (cd "$work" && dpkg-shlibdeps -O --ignore-missing-info -Sboth -lboth/usr/lib/sluice both/usr/bin/sluice-ui |
    sed -n 's/^shlibs:Depends=//p')
}

# Dear ImGui opens libGL.so.1 by its name, so no tool finds that it is needed.
opened_by_name=libgl1

# overrides: what lintian is to leave alone, each with its reason.
overrides() {
  mkdir -p "$package/usr/share/lintian/overrides"
  cat >>"$package/usr/share/lintian/overrides/${package##*/}"
}

documents() {
  overrides <<END_OF_OVERRIDES
# The project makes this package by itself; no bug of Debian's asked for it.
${package##*/}: initial-upload-closes-no-bugs *
END_OF_OVERRIDES
  doc=$package/usr/share/doc/${package##*/}
  mkdir -p "$doc"
  cat >"$doc/copyright" <<END_OF_COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Sluice

Files: *
Copyright: $(date -ud "@$SOURCE_DATE_EPOCH" +%Y) the authors of Sluice
License: Apache-2.0
 On Debian systems, the full text of the Apache License, Version 2.0, is in /usr/share/common-licenses/Apache-2.0.
END_OF_COPYRIGHT
  [ "${package##*/}" != sluice ] || cat >>"$doc/copyright" <<END_OF_COPYRIGHT

Files: usr/lib/sluice/*.so*
Copyright: those of each library
License: as-in-Debian-12
 Who wrote these libraries, and those of which Sluice has only compiled the headers, and what their licenses say, is in
 /usr/share/doc/sluice/licenses, in a file for each package of Debian 12 that they come from.
END_OF_COPYRIGHT
  gzip -9n >"$doc/changelog.Debian.gz" <<END_OF_CHANGELOG
sluice ($version) unstable; urgency=medium

  * New version; what has changed is in /usr/share/doc/sluice/changelog.gz.

 -- $maintainer  $(LC_ALL=C date -uRd "@$SOURCE_DATE_EPOCH")
END_OF_CHANGELOG
}

# In KiB, the same on every file system.
size_of() { find "$1" -type f -printf '%s\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }'; }

# pack NAME ARCH: the other fields come on standard input.
pack() {
  name=$1 of=$2
  (cd "$package" && find usr -type f | LC_ALL=C sort | xargs -d '\n' md5sum) >"$package/DEBIAN/md5sums"
  {
    printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\n' "$name" "$version" "$of" "$maintainer"
    printf 'Installed-Size: %s\nPriority: optional\n' "$(size_of "$package/usr")"
    cat
  } >"$package/DEBIAN/control"
  chmod -R u=rwX,go=rX "$package"
  # One thread: more of them would cut the data in other pieces.
  dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$package" "$out/${name}_${version}_$of.deb"
}

package=$work/sluice
mkdir -p "$package/DEBIAN"
lay_out_sluice
documents
depends=$(runtime_libraries)
[ -n "$depends" ]
pack sluice "$arch" <<END_OF_FIELDS
Section: science
Depends: $depends
Recommends: python3-sluice
Description: profiler and autotuner of input pipelines
 Sluice runs a training script, measures its input pipeline, says in one
 sentence why the trainer waits, and changes the number of workers and the
 prefetch while it runs. It also runs and simulates pipelines of its own.
END_OF_FIELDS

package=$work/python3-sluice
mkdir -p "$package/DEBIAN"
lay_out_python
documents
pack python3-sluice all <<END_OF_FIELDS
Source: sluice
Section: python
Depends: python3 (>= 3.9), sluice (= $version)
Suggests: python3-torch
Description: profiler and autotuner of input pipelines (Python package)
 Sluice measures the input pipeline of a training run and says in one sentence
 why the trainer waits.
 .
 With this package, Debian's Python has the module sluice: any loop can be
 measured, and "python3 -m sluice" is the program.
END_OF_FIELDS

package=$work/sluice-ui
mkdir -p "$package/DEBIAN"
cp -R "$window" "$package/usr"
overrides <<'END_OF_OVERRIDES'
# The same file runs on Debian 12, 13 and unstable, which have this library in packages of other names.
sluice-ui: embedded-library *
# Its manual page is that of sluice, which starts it.
sluice-ui: no-manual-page *
END_OF_OVERRIDES
documents
depends=$(window_libraries)
[ -n "$depends" ]
pack sluice-ui "$arch" <<END_OF_FIELDS
Source: sluice
Section: science
Depends: $depends, $opened_by_name, sluice (= $version), fonts-dejavu-core
Recommends: libgl1-mesa-dri
Description: profiler and autotuner of input pipelines (desktop window)
 Sluice measures the input pipeline of a training run and says in one sentence
 why the trainer waits.
 .
 With this package, "sluice ui" shows a running process or a recorded run in a
 window: what limits it, the pipeline, and how it went over time.
END_OF_FIELDS
