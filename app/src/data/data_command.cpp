#include "data/data_command.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "result/exit_codes.h"
#include "sluice/exporters/terminal_screen.h"
#include "sluice/formats/make_data.h"

namespace sluice::app {

int MakeData(const DataOptions& options) {
  const bool terminal = exporters::TerminalScreen::IsTerminal(STDERR_FILENO);
  std::uint64_t told = 0;  // tenths
  formats::MakeDataOptions make;
  make.out = options.out;
  make.count = options.count;
  make.seed = options.seed;
  make.classes = options.classes;
  make.progress = [&](std::uint64_t done, std::uint64_t all) {
    if (options.quiet || all == 0) return;
    const std::uint64_t tenths = 10 * done / all;
    if (!terminal && tenths == told) return;
    told = tenths;
    std::fprintf(stderr, "%s%s: %llu of %llu images%s", terminal ? "\r" : "", options.out.c_str(),
                 static_cast<unsigned long long>(done), static_cast<unsigned long long>(all),
                 terminal && done < all ? "" : "\n");
  };
  make.note = [&](const std::string& sentence) {
    if (!options.quiet) std::fprintf(stderr, "%s\n", sentence.c_str());
  };
  std::error_code error;  // MakeData names the folder where this was in vain
  std::filesystem::create_directories(std::filesystem::path(options.out).parent_path(), error);
  const auto made = options.kind == "cifar10" ? formats::MakeCifar10(make) : formats::MakeImageFolder(make);
  if (made) return kExitDone;
  std::fprintf(stderr, "%ssluice: %s\n", terminal ? "\n" : "", made.error().message.c_str());
  return kExitFailed;
}

}  // namespace sluice::app
