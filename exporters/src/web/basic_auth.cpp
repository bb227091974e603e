#include "web/basic_auth.h"

#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace sluice::exporters {
namespace {

constexpr std::string_view kScheme = "Basic ";
constexpr std::size_t kMostRemembered = 64;
constexpr std::size_t kHashesPerSecond = 4;
constexpr std::size_t kLongestPair = 1024;

bool HasScheme(std::string_view header) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(header.substr(0, kScheme.size()), kScheme, {}, lower, lower);
}

std::optional<std::string> Decoded(std::string_view base64) {
  if (base64.empty() || base64.size() % 4 != 0 || base64.size() > kLongestPair) return std::nullopt;
  std::vector<unsigned char> bytes(base64.size() / 4 * 3);
  const int size = EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(base64.data()),
                                   static_cast<int>(base64.size()));
  if (size < 0) return std::nullopt;
  std::string text(bytes.begin(), bytes.begin() + size);
  for (std::size_t i = base64.size(); i > base64.size() - 2 && base64[i - 1] == '='; --i) text.pop_back();
  return text;
}

bool IsPassword(const std::string& password, const std::string& hash) {
  const auto data = std::make_unique<crypt_data>();
  const char* made = crypt_r(password.c_str(), hash.c_str(), data.get());
  const std::string_view got = made == nullptr ? "" : made;
  return got.size() == hash.size() && CRYPTO_memcmp(got.data(), hash.data(), hash.size()) == 0;
}

}  // namespace

bool BasicAuth::MayHash(MonoTime now) {
  while (!hashed_.empty() && now - hashed_.front() >= std::chrono::seconds(1)) hashed_.pop_front();
  if (hashed_.size() >= kHashesPerSecond) return false;
  hashed_.push_back(now);
  return true;
}

bool BasicAuth::IsRemembered(const Digest& digest) const {
  bool found = false;
  for (const Digest& right : right_) found |= CRYPTO_memcmp(right.data(), digest.data(), digest.size()) == 0;
  return found;
}

// Somebody who does not exist takes as long as one who does.
bool BasicAuth::IsPair(const std::string& user, const std::string& password) const {
  const auto found = users_.find(user);
  const bool right = IsPassword(password, found == users_.end() ? users_.begin()->second : found->second);
  return right && found != users_.end();
}

BasicAuth::Verdict BasicAuth::Judge(std::string_view authorization, MonoTime now) {
  if (!HasScheme(authorization)) return Verdict::kWrong;
  const auto pair = Decoded(authorization.substr(kScheme.size()));
  if (!pair || pair->find('\0') != std::string::npos) return Verdict::kWrong;
  const std::size_t colon = pair->find(':');
  if (colon == std::string::npos) return Verdict::kWrong;
  Digest digest{};
  EVP_Digest(pair->data(), pair->size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  if (IsRemembered(digest)) return Verdict::kRight;
  if (!MayHash(now)) return Verdict::kTryLater;
  if (!IsPair(pair->substr(0, colon), pair->substr(colon + 1))) return Verdict::kWrong;
  right_.push_back(digest);
  if (right_.size() > kMostRemembered) right_.pop_front();
  return Verdict::kRight;
}

}  // namespace sluice::exporters
