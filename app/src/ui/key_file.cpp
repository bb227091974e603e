#include "ui/key_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/toml/toml_fields.h"
#include "sluice/toml/toml_file.h"

namespace sluice::app {
namespace {

struct Entry {
  std::string_view name;
  const ::toml::node* node;
  ui::Action action;
  ui::Key key;
};

std::vector<std::string> ActionNames() {
  std::vector<std::string> names;
  for (const ui::ActionInfo& info : ui::Actions()) names.emplace_back(info.name);
  return names;
}

std::string Remedy(const std::string& written) {
  std::vector<std::string> keys = ui::KeyWords();
  for (const std::string& word : ui::KeyWords()) keys.push_back("Ctrl+" + word);
  const std::string near = written.size() < 20 ? Nearest(written, keys) : "";
  return near.empty() ? R"(; write for example "W", "/", "Space", "F5" or "Ctrl+Z"; docs/ui.md has all)"
                      : fmt::format(" (did you mean '{}'?)", near);
}

Result<Entry> ReadEntry(std::string_view name, const ::toml::node& node, const toml::Place& place) {
  const auto action = ui::ActionNamed(name);
  if (!action)
    return toml::FailAt(place, node,
                        fmt::format("unknown action '{:.40}'{}", name, toml::Suggest(name, ActionNames())));
  const toml::TomlValue value(node, place, name);
  std::string written;
  if (const auto read = value.To(written); !read) return std::unexpected(read.error());
  const auto key = ui::ParseKey(written);
  if (!key) return value.Fail(fmt::format("unknown key \"{:.40}\"{}", written, Remedy(written)));
  return Entry{name, &node, *action, *key};
}

// In the order of the file, without what is wrong.
std::vector<Entry> ReadEntries(const ::toml::table& table, const toml::Place& place,
                               std::vector<std::string>& wrong) {
  std::vector<std::pair<std::string_view, const ::toml::node*>> lines;
  for (const auto& [name, node] : table) lines.emplace_back(name.str(), &node);
  std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.second->source().begin.line; });
  std::vector<Entry> entries;
  for (const auto& [name, node] : lines) {
    auto entry = ReadEntry(name, *node, place);
    if (entry) {
      entries.push_back(*entry);
    } else {
      wrong.push_back(entry.error().message);
    }
  }
  return entries;
}

// First all that the file is about is free, so that two actions can change their keys.
void Bind(const std::vector<Entry>& entries, const toml::Place& place, KeysRead& read) {
  for (const Entry& entry : entries) read.keys.Unbind(entry.action);
  for (const Entry& entry : entries) {
    const auto had = read.keys.Bind(entry.action, entry.key);
    if (!had) continue;
    const std::string clash =
        fmt::format("{}: \"{}\" was the key of {}, which has none now; give {} another one, or \"\" for none",
                    entry.name, ui::KeyText(entry.key), ui::NameOf(*had), ui::NameOf(*had));
    read.wrong.push_back(toml::FailAt(place, *entry.node, clash).error().message);
  }
}

}  // namespace

KeysRead ParseKeys(const std::string& text, const std::string& path) {
  KeysRead read;
  const auto table = toml::ParseToml(text, path);
  if (!table) return {.keys = {}, .wrong = {table.error().message}};
  if (const auto known = toml::RefuseUnknown(*table, {path, ""}, {"keys"}); !known)
    read.wrong.push_back(known.error().message);
  const ::toml::node* keys = table->get("keys");
  if (keys == nullptr) return read;
  const toml::Place place{path, "[keys]"};
  if (const ::toml::table* entries = keys->as_table()) {
    Bind(ReadEntries(*entries, place, read.wrong), place, read);
  } else {
    read.wrong.push_back(toml::FailAt({path, ""}, *keys, "keys must be a table: [keys]").error().message);
  }
  return read;
}

KeysRead ReadKeys(const std::string& path) {
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return {};
  const auto text = toml::ReadTomlFile(path);
  return text ? ParseKeys(*text, path) : KeysRead{.keys = {}, .wrong = {text.error().message}};
}

}  // namespace sluice::app
