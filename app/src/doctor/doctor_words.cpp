#include "doctor/doctor_words.h"

#include <fmt/format.h>

#include <utility>

namespace sluice::app {

std::string Quoted(std::string_view word) {
  if (word.starts_with('-')) return Quoted("./" + std::string(word));
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+@%,";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string EchoInto(std::string_view value, std::string_view file) {
  return fmt::format("echo {} | sudo tee {}", value, file);
}

DoctorCheck NotTold(std::string subject, std::string kind, std::string file, std::string why) {
  return {.state = DoctorCheck::State::kNote,
          .subject = std::move(subject),
          .found = "not told: " + std::move(why),
          .remedy = "",
          .kind = std::move(kind),
          .evidence = {{std::move(file), "missing"}}};
}

std::string Counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace sluice::app
