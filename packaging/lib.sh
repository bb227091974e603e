# Sourced by packaging/build and .ci/torch, after .ci/lib.sh.

# make_tree FOLDER: the program, libsluice.so and the Python package under FOLDER, with the libraries of this Debian
# that other distributions have other versions of. Needs what `build release sluice sluice_capi` makes. The path to
# those libraries is in the files, not in the environment, which a wrapped command would inherit.
make_tree() {
  tree=$1
  rm -rf "$tree"
  mkdir -p "$tree/bin" "$tree/lib/sluice"
  cp -L "$root/build/release/bin/sluice" "$tree/bin/"
  cp -L "$root/build/release/lib/libsluice.so.1" "$tree/lib/"
  copy_libraries "$tree/lib/sluice" "$tree/bin/sluice" "$tree/lib/libsluice.so.1"
  chmod -R u+w "$tree"
  patchelf --force-rpath --set-rpath "\$ORIGIN/../lib/sluice" "$tree/bin/sluice"
  patchelf --force-rpath --set-rpath "\$ORIGIN/sluice" "$tree/lib/libsluice.so.1"
  for library in "$tree"/lib/sluice/*.so*; do patchelf --force-rpath --set-rpath "\$ORIGIN" "$library"; done
}

# All but those of the compiler and of libc, which every later distribution has.
copy_libraries() {
  to=$1
  shift
  libraries_of "$@" | while read -r library; do cp -L "$library" "$to/"; done
}

libraries_of() {
  ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u | while read -r library; do
    case ${library##*/} in
      libc.so.* | libm.so.* | libgcc_s.so.* | libstdc++.so.* | ld-linux* | libsluice.so.*) ;;
      *) echo "$library" ;;
    esac
  done
}

# make_window FOLDER TREE: sluice-ui under FOLDER, to be put over TREE. What a desktop has (OpenGL, GLFW, FreeType) stays the
# system's; what TREE has is used from there, and libstb, whose package has another name in Debian 13, comes along.
make_window() {
  window=$1
  rm -rf "$window"
  mkdir -p "$window/bin" "$window/lib/sluice"
  cp -L "$root/build/release/bin/sluice-ui" "$window/bin/"
  libraries_of "$window/bin/sluice-ui" | while read -r library; do
    case ${library##*/} in libstb.so.*) cp -L "$library" "$window/lib/sluice/" ;; esac
  done
  chmod -R u+w "$window"
  patchelf --force-rpath --set-rpath "\$ORIGIN/../lib/sluice" "$window/bin/sluice-ui"
}
