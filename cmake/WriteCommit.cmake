# Run by every build: writes the commit of the clone SOURCE to the header TO. A header that would stay the same is left alone, so
# that nothing is built again.
set(commit unknown)
# An archive has no .git; a clone around the folder where it was unpacked is somebody else's.
if(EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git -C "${SOURCE}" rev-parse HEAD
    OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  # Without a lock, which could stop a git command of the user's.
  execute_process(COMMAND git --no-optional-locks -C "${SOURCE}" status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(failed STREQUAL "0")
    set(commit "${head}")
  endif()
  if(failed STREQUAL "0" AND changes)
    string(APPEND commit " with changes")
  endif()
endif()
file(CONFIGURE OUTPUT "${TO}" @ONLY CONTENT [[
#pragma once

namespace sluice::app {

inline constexpr const char* kCommit = "@commit@";

}  // namespace sluice::app
]])
