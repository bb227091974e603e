#include "sluice/wrap/package.h"

#include <fmt/format.h>

#include <array>
#include <system_error>
#include <vector>

#ifndef SLUICE_LIBDIR
#define SLUICE_LIBDIR "lib"
#endif

namespace sluice::wrap {
namespace {

constexpr const char* kInject = "sluice/inject";
constexpr const char* kLibrary = "libsluice.so.1";

bool Exists(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// A sanitizer's library cannot be loaded into a Python that was started without it.
constexpr bool Loadable() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  return true;
#endif
}

std::filesystem::path LibraryIn(const std::filesystem::path& prefix) {
  if (!Loadable()) return {};
  for (const char* folder : {SLUICE_LIBDIR, "lib"}) {
    if (Exists(prefix / folder / kLibrary)) return prefix / folder / kLibrary;
  }
  return {};
}

}  // namespace

Result<Package> FindPackage(const std::filesystem::path& program) {
  const std::filesystem::path prefix = program.parent_path().parent_path();
  // The last one: inside of the package, as a wheel has it (sluice/_native/bin).
  const std::array<std::filesystem::path, 4> homes{prefix / SLUICE_LIBDIR / "sluice/python",
                                                   prefix / "lib/sluice/python", prefix / "python",
                                                   prefix.parent_path().parent_path()};
  for (const auto& home : homes) {
    if (Exists(home / kInject / "sitecustomize.py")) return Package{home / kInject, LibraryIn(prefix)};
  }
  return Fail(
      fmt::format("the Python package is not beside {} (looked in {} and {}); install Sluice as a whole",
                  program.string(), homes[0].string(), homes[2].string()));
}

std::filesystem::path ThisProgram() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace sluice::wrap
