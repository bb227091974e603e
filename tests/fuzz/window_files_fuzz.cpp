// The two files that a user's window reads, keys and kept state, of any bytes: each is read, or what is wrong
// is told with the file's name. No two actions get the same key, and what is kept is the same when it has
// been written and read again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "input.h"
#include "sluice/base/check.h"
#include "ui/key_file.h"
#include "ui/ui_state.h"

namespace {

using namespace sluice;  // NOLINT

constexpr const char* kFile = "ui.toml";

void CheckKeys(const std::string& text) {
  const app::KeysRead read = app::ParseKeys(text, kFile);
  for (const std::string& wrong : read.wrong) SLUICE_CHECK(wrong.starts_with(kFile));
  for (const ui::ActionInfo& info : ui::Actions()) {
    const ui::Key key = read.keys.KeyOf(info.action);
    if (key == ui::Key{}) continue;
    SLUICE_CHECK(read.keys.ActionOf(key) == info.action);
    SLUICE_CHECK(ui::ParseKey(ui::KeyText(key)) == key);
  }
}

void CheckState(const std::string& text) {
  const auto state = app::ParseUiState(text, kFile);
  if (!state) {
    SLUICE_CHECK(state.error().message.starts_with(kFile));
    return;
  }
  const std::string written = app::UiStateToml(*state);
  const auto again = app::ParseUiState(written, kFile);
  SLUICE_CHECK(again && app::UiStateToml(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::Text(data, size));
  CheckKeys(text);
  CheckState(text);
  return 0;
}
