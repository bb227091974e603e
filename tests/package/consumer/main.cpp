#include <cstdio>

#include "sluice/base/text.h"

int main() {
  const auto parsed = sluice::ParseDuration("1500ms");
  if (!parsed) return std::puts(parsed.error().message.c_str()), 1;
  return *parsed == std::chrono::milliseconds(1500) ? 0 : 1;
}
