// Where the control groups of a process lie in the file system: cgroup v1, v2, and the hybrid of both.
// Immutable functions on the text of /proc/<pid>/cgroup and /proc/self/mountinfo.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sluice::probes {

// One line of /proc/<pid>/cgroup.
struct CgroupMembership {
  bool v2 = false;
  std::string controllers;  // v1: "cpu,cpuacct"
  std::string path;         // within the hierarchy
};
[[nodiscard]] std::vector<CgroupMembership> ParseCgroupMemberships(std::string_view text);

struct CgroupMount {
  bool v2 = false;
  std::string controllers;  // v1: options of the mount, the controllers among them
  std::string root;         // the part of the hierarchy that is mounted
  std::string point;        // where
};
[[nodiscard]] std::vector<CgroupMount> ParseCgroupMounts(std::string_view mountinfo);

// The folders that limit the process, its own first, the mount's top last. v1 where the controller is
// bound to a v1 hierarchy, else v2. Empty: there is none.
struct CgroupFolders {
  bool v2 = false;
  std::vector<std::string> folders;
  std::vector<std::string> names;  // "/kubepods/pod1", of each; for people, printable
};
[[nodiscard]] CgroupFolders FindCgroupFolders(const std::vector<CgroupMembership>& memberships,
                                              const std::vector<CgroupMount>& mounts,
                                              std::string_view controller);

// The same from the files of the process; pid 0: this process.
[[nodiscard]] CgroupFolders ReadCgroupFolders(int pid, std::string_view controller, const std::string& root);

}  // namespace sluice::probes
