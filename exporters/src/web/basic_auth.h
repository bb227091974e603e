// BasicAuth: whether a request comes with the password of a user (RFC 7617). One thread.
//
// A bcrypt hash takes a tenth of a second on purpose. So a pair that was right is remembered, as a digest,
// and wrong ones cost no more than a few hashes a second whoever sends how many.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/units.h"

namespace sluice::exporters {

class BasicAuth {
 public:
  enum class Verdict : std::uint8_t { kRight, kWrong, kTryLater };

  // Users with bcrypt hashes. REQUIRES: there is one.
  explicit BasicAuth(std::map<std::string, std::string, std::less<>> users) : users_(std::move(users)) {}

  // `authorization` is the header's value, untrusted.
  [[nodiscard]] Verdict Judge(std::string_view authorization, MonoTime now);

 private:
  using Digest = std::array<unsigned char, 32>;
  [[nodiscard]] bool MayHash(MonoTime now);
  [[nodiscard]] bool IsPair(const std::string& user, const std::string& password) const;
  [[nodiscard]] bool IsRemembered(const Digest& digest) const;

  const std::map<std::string, std::string, std::less<>> users_;
  std::deque<Digest> right_;     // pairs that were right, the latest last
  std::deque<MonoTime> hashed_;  // when, in the last second
};

}  // namespace sluice::exporters
