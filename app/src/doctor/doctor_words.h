// What the findings about a host say alike. Pure functions.
#pragma once
#include <string>
#include <string_view>

#include "sluice/exporters/doctor_list.h"

namespace sluice::app {

using exporters::DoctorCheck;

// Of what is set in /sys and /proc/sys.
inline constexpr const char* kUntilBoot =
    "root, outside of containers; holds for the whole machine, until its next start";

// A word that a shell takes as it is, and no program for an option.
[[nodiscard]] std::string Quoted(std::string_view word);
// "echo 4096 | sudo tee FILE".
[[nodiscard]] std::string EchoInto(std::string_view value, std::string_view file);
// "not told": what a kernel does not say is neither zero nor fine.
[[nodiscard]] DoctorCheck NotTold(std::string subject, std::string kind, std::string file, std::string why);
// "1 file", "3 files".
[[nodiscard]] std::string Counted(std::uint64_t count, std::string_view what);

}  // namespace sluice::app
