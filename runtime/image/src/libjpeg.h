// jpeglib.h, which needs to be told about FILE and size_t first.
#pragma once
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
// clang-format on
