#include "segment/segment_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "sluice/probes/proc_files.h"
#include "sluice/probes/segment_writer.h"
#include "sluice/probes/span_layout.h"

namespace sluice::probes {
namespace {

template <typename T>
bool TakeNumber(std::string_view& text, T& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.empty() || text[0] == '-') return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return true;
}

bool TakeDash(std::string_view& text) {
  if (!text.starts_with('-')) return false;
  text.remove_prefix(1);
  return true;
}

bool OwnFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

}  // namespace

std::string DefaultSegmentFolder() {
  const char* runtime_dir = std::getenv("XDG_RUNTIME_DIR");
  if (runtime_dir != nullptr && runtime_dir[0] == '/' && OwnFolder(runtime_dir) &&
      access(runtime_dir, W_OK | X_OK) == 0) {
    return fmt::format("{}/sluice", runtime_dir);
  }
  return fmt::format("/dev/shm/sluice-{}", geteuid());
}

std::string FormatSegmentName(const SegmentName& name) {
  return fmt::format("{}-{}-{}", name.pid, name.start_ticks, name.n);
}

std::optional<SegmentName> ParseSegmentName(std::string_view text) {
  SegmentName name;
  const bool matches = TakeNumber(text, name.pid) && TakeDash(text) && TakeNumber(text, name.start_ticks) &&
                       TakeDash(text) && TakeNumber(text, name.n) && text.empty();
  if (!matches || name.pid <= 0) return std::nullopt;
  return name;
}

Result<Fd> OpenSegmentFolder(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), ignored);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Fail(fmt::format("cannot make the folder {}: {}", folder, std::strerror(errno)));
  }
  Fd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info;
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return Fail(fmt::format("cannot open the folder {}: {}", folder, std::strerror(errno)));
  }
  if (info.st_uid != geteuid()) {
    return Fail(
        fmt::format("the folder {} belongs to user {}; remove it or choose another", folder, info.st_uid));
  }
  if ((info.st_mode & 077) != 0) {
    return Fail(
        fmt::format("others may enter the folder {} (mode {:o}); chmod 700 it", folder, info.st_mode & 0777));
  }
  return fd;
}

Result<void> CheckSegmentFolder(const std::string& folder) {
  const auto opened = OpenSegmentFolder(folder);
  if (!opened) return std::unexpected(opened.error());
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return Fail(fmt::format("cannot write into the folder {}: {}", folder, std::strerror(errno)));
  }
  return {};
}

std::vector<std::string> ListSegments(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (!entries) return names;
  while (const dirent* entry = readdir(entries.get())) {
    if (ParseSegmentName(entry->d_name)) names.emplace_back(entry->d_name);
  }
  std::ranges::sort(names);
  return names;
}

bool RemoveIfDead(const std::string& folder, const std::string& name, const std::function<void()>& before) {
  const auto parsed = ParseSegmentName(name);
  if (!parsed || ProcessAlive(parsed->pid, parsed->start_ticks)) return false;
  const std::string path = folder + "/" + name;
  const Fd fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (!fd.valid() || fstat(fd.get(), &info) != 0) return false;
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid()) return false;
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return false;
  if (before) before();
  return RemoveSegment(path);
}

bool RemoveSegment(const std::string& path) {
  unlink((path + segment::kSpansSuffix).c_str());
  return unlink(path.c_str()) == 0;
}

}  // namespace sluice::probes
