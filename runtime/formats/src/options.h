// What the makers read from MakeDataOptions.
#pragma once
#include "parallel.h"
#include "sluice/formats/make_data.h"

namespace sluice::formats::internal {

inline int Threads(const MakeDataOptions& options) {
  return options.threads > 0 ? options.threads : UsableCores();
}
inline void Progress(const MakeDataOptions& options, std::uint64_t done, std::uint64_t all) {
  if (options.progress) options.progress(done, all);
}
inline void Note(const MakeDataOptions& options, const std::string& sentence) {
  if (options.note) options.note(sentence);
}

}  // namespace sluice::formats::internal
