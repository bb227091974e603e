// `sluice ui`: the desktop window. It is a program of its own, `sluice-ui`, because it needs libraries of a
// desktop that `sluice` itself must not.
#pragma once
#include <memory>
#include <string>

#include "sluice/base/error.h"
#include "sluice/ui/feed.h"

namespace sluice::app {

struct UiOptions {
  std::string what;    // a PID, a control socket, HOST:PORT, a session or a scenario; empty: the start page
  std::string with;    // a second session's file, to be compared with the first; empty: none
  std::string loader;  // of several pipelines: the one with this in its name
  std::string token_file;  // what HOST:PORT wants to see
  std::string at;          // with unit, as typed; empty: the newest
  std::string show;        // a table, and maybe behind a colon what is chosen in it; empty: as it was left
  bool dump_view = false;
  std::string screenshot;  // file; empty: a window
  std::string size;        // empty: as it was left
  double scale = 0;        // 0: as it was left
  std::string theme;       // empty: as it was left
};

// A PID, where it is a number; a control socket, where it is one; HOST:PORT, where there is no such file;
// else a session's file.
[[nodiscard]] Result<std::unique_ptr<ui::Feed>> OpenFeed(const std::string& what, const std::string& loader,
                                                         const std::string& token_file = "");

// Whether it is the file of a scenario, by its name.
[[nodiscard]] bool IsScenario(const std::string& what);

// The file of a program that is installed where this one is.
[[nodiscard]] std::string ProgramBeside(const std::string& name);

// Whether what is named as A and B can be, before anything is opened.
[[nodiscard]] Result<void> CanBeCompared(const UiOptions& options);

// So that there is something to show of a run that goes on: some seconds. `look`: what will be shown.
void WatchAWhile(ui::Feed& feed, const ui::Look& look);

// Prints what the window would show. What goes on is watched for some seconds.
[[nodiscard]] int DumpView(const UiOptions& options);

// Goes on as `sluice-ui` with these arguments; returns only where that is not possible, after it has said
// why.
[[nodiscard]] int StartWindow(char** argv);

}  // namespace sluice::app
