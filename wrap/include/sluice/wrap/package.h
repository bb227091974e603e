// Package: where the parts are that a wrapped Python process loads: the folder for PYTHONPATH and
// libsluice.so. Immutable functions.
#pragma once
#include <filesystem>
#include <string>

#include "sluice/base/error.h"

namespace sluice::wrap {

struct Package {
  std::filesystem::path inject;   // holds sitecustomize.py
  std::filesystem::path library;  // empty: the package looks for it by itself
};

// Looks beside `program`, the running binary: PREFIX/lib/sluice/python of an installed tree, `python` of a
// build tree, and both with the library of the same tree.
[[nodiscard]] Result<Package> FindPackage(const std::filesystem::path& program);

// The running binary.
[[nodiscard]] std::filesystem::path ThisProgram();

}  // namespace sluice::wrap
