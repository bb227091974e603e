#include "machine/cgroup_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

// The text up to `end`, which is removed with it.
std::string_view TakeUntil(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

bool ListHolds(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (TakeUntil(list, ',') == word) return true;
  }
  return false;
}

bool IsOctal(std::string_view digits) {
  return digits.size() == 3 && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '7'; });
}

// mountinfo writes blanks and backslashes as octal numbers.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digits = text.substr(i + 1, 3);
    if (text[i] == '\\' && IsOctal(digits)) {
      plain += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::optional<CgroupMount> ParseMount(std::string_view line) {
  CgroupMount mount;
  for (int skipped = 0; skipped < 3; ++skipped) static_cast<void>(TakeWord(line));
  mount.root = Unescape(TakeWord(line));
  mount.point = Unescape(TakeWord(line));
  while (!line.empty() && TakeWord(line) != "-") {
  }
  const auto type = TakeWord(line);
  static_cast<void>(TakeWord(line));  // the source
  mount.v2 = type == "cgroup2";
  mount.controllers = TakeWord(line);
  if (type != "cgroup" && type != "cgroup2") return std::nullopt;
  return mount;
}

// `path` as seen below `root`; nullopt: it lies elsewhere.
std::optional<std::string> Below(const std::string& path, const std::string& root) {
  if (path.starts_with("/..")) return std::nullopt;  // outside of our cgroup namespace
  if (root == "/") return path;
  if (!path.starts_with(root)) return std::nullopt;
  auto rest = path.substr(root.size());
  if (!rest.empty() && rest[0] != '/') return std::nullopt;
  return rest;
}

// Whoever makes a group names it: no control characters, and no bytes that are no text.
std::string Printable(std::string name) {
  std::ranges::replace_if(name, [](char c) { return c < ' ' || c > '~'; }, '?');
  return name;
}

CgroupFolders FoldersUpToTop(const CgroupMount& mount, std::string below) {
  const std::string top = mount.root == "/" ? "" : mount.root;
  CgroupFolders found{.v2 = mount.v2, .folders = {}, .names = {}};
  while (below.size() > 1) {
    found.folders.push_back(mount.point + below);
    found.names.push_back(Printable(top + below));
    below.resize(below.rfind('/') == std::string::npos ? 0 : below.rfind('/'));
  }
  found.folders.push_back(mount.point);
  found.names.push_back(Printable(mount.root));
  return found;
}

CgroupFolders FoldersOf(const CgroupMembership& membership, const std::vector<CgroupMount>& mounts,
                        std::string_view controller) {
  const CgroupMount* chosen = nullptr;
  std::optional<std::string> below;
  for (const auto& mount : mounts) {
    if (mount.v2 != membership.v2 || (!mount.v2 && !ListHolds(mount.controllers, controller))) continue;
    const auto inside = Below(membership.path, mount.root);
    if (chosen != nullptr && (below || !inside)) continue;
    chosen = &mount;
    below = inside;
  }
  if (chosen == nullptr) return {};
  // A path outside of what is mounted: all that can be seen is the mount's top.
  return FoldersUpToTop(*chosen, below.value_or(""));
}

}  // namespace

std::vector<CgroupMembership> ParseCgroupMemberships(std::string_view text) {
  std::vector<CgroupMembership> memberships;
  while (!text.empty()) {
    auto line = TakeLine(text);
    const auto hierarchy = TakeUntil(line, ':');
    const auto controllers = TakeUntil(line, ':');
    if (!line.starts_with('/')) continue;
    memberships.push_back(
        {hierarchy == "0" && controllers.empty(), std::string(controllers), std::string(line)});
  }
  return memberships;
}

std::vector<CgroupMount> ParseCgroupMounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  while (!mountinfo.empty()) {
    if (auto mount = ParseMount(TakeLine(mountinfo))) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

CgroupFolders FindCgroupFolders(const std::vector<CgroupMembership>& memberships,
                                const std::vector<CgroupMount>& mounts, std::string_view controller) {
  for (const bool v2 : {false, true}) {
    for (const auto& membership : memberships) {
      if (membership.v2 != v2 || (!v2 && !ListHolds(membership.controllers, controller))) continue;
      auto found = FoldersOf(membership, mounts, controller);
      if (!found.folders.empty()) return found;
    }
  }
  return {};
}

CgroupFolders ReadCgroupFolders(int pid, std::string_view controller, const std::string& root) {
  const auto process = pid == 0 ? std::string("self") : std::to_string(pid);
  const auto cgroup = ReadSmallFile(fmt::format("{}/proc/{}/cgroup", root, process));
  const auto mountinfo = ReadSmallFile(fmt::format("{}/proc/self/mountinfo", root));
  if (!cgroup || !mountinfo) return {};
  auto found = FindCgroupFolders(ParseCgroupMemberships(*cgroup), ParseCgroupMounts(*mountinfo), controller);
  for (auto& folder : found.folders) folder.insert(0, root);
  return found;
}

}  // namespace sluice::probes
