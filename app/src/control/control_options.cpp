#include "control/control_options.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "sluice/base/fd.h"

namespace sluice::app {
namespace {

constexpr std::size_t kShortest = 16, kLongest = 256;  // characters
constexpr const char* kMake = "make one with: (umask 077; openssl rand -hex 32 > FILE)";

std::unexpected<Error> Wrong(const std::string& file, const std::string& why) {
  return Fail(fmt::format("--token-file: {} {}", file, why));
}

}  // namespace

Result<std::string> ReadToken(const std::string& file) {
  const Fd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about{};
  if (!fd.valid() || fstat(fd.get(), &about) != 0)
    return Wrong(file, fmt::format("cannot be read: {}; {}", std::strerror(errno), kMake));
  if (!S_ISREG(about.st_mode)) return Wrong(file, fmt::format("is no file; {}", kMake));
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return Wrong(file,
                 fmt::format("can be read by others; chmod 600 {}, and put another token into it", file));
  std::array<char, kLongest + 2> bytes{};
  const ssize_t read = ::read(fd.get(), bytes.data(), bytes.size());
  if (read < 0) return Wrong(file, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string_view token(bytes.data(), static_cast<std::size_t>(read));
  token = token.substr(0, token.find('\n'));
  if (token.size() < kShortest || token.size() > kLongest)
    return Wrong(file, fmt::format("has a first line of {} characters where a token has {} to {}; {}",
                                   token.size() > kLongest ? "too many" : fmt::to_string(token.size()),
                                   kShortest, kLongest, kMake));
  const auto is_visible = [](unsigned char c) { return c > ' ' && c < 0x7f; };
  if (!std::ranges::all_of(token, is_visible))
    return Wrong(file, "has blanks or other characters in its token that cannot stand in a header");
  return std::string(token);
}

Result<std::optional<exporters::ControlDoor>> DoorOf(const ControlOptions& options) {
  if (options.listen.empty() && options.token_file.empty()) return std::nullopt;
  if (options.listen.empty()) return Fail("--token-file: there is no --listen HOST:PORT that it would open");
  if (options.none) return Fail("--listen: --no-control forbids it; leave one of them out");
  if (options.token_file.empty())
    return Fail(fmt::format("--listen: whoever reaches {} could change this run; give a --token-file ({})",
                            options.listen, kMake));
  auto token = ReadToken(options.token_file);
  if (!token) return std::unexpected(token.error());
  return exporters::ControlDoor{options.listen, std::move(*token)};
}

}  // namespace sluice::app
