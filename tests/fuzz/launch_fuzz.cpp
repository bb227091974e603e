// A script of any bytes and a command line of any words: which Python they run, if any. The first line of the
// input are the words, the rest is the script, whose interpreters are files of no content.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "canned_root.h"
#include "input.h"
#include "sluice/base/check.h"
#include "sluice/wrap/python_command.h"

namespace {

using namespace sluice;  // NOLINT

std::vector<std::string> Words(fuzz::Input line) {
  std::vector<std::string> words;
  while (!line.empty() && words.size() < 32) words.emplace_back(line.Until(' '));
  return words;
}

void Check(const std::vector<std::string>& command, const std::string& path) {
  const auto python = wrap::FindPython(command, path);
  if (!python) return;
  SLUICE_CHECK(python->interpreter.find("py") != std::string::npos);
  SLUICE_CHECK(python->forbids.empty() || python->forbids.size() == 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::CannedRoot root({"bin"});
  const std::string bin = root.path() + "/bin";
  fuzz::Input input(data, size);
  const std::string_view line = input.Until('\n');
  std::vector<std::string> words = Words({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
  root.Fill("");
  root.Put("bin/train", input.rest(), 0700);
  for (const char* name : {"bin/python3", "bin/env", "bin/pypy"}) root.Put(name, "", 0700);
  Check(words, bin);
  words.insert(words.begin(), "python3");
  Check(words, bin);
  words.front() = "train";
  Check(words, bin);
  return 0;
}
