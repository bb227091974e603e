#include "cli/data_options.h"

#include "cli/checks.h"

namespace sluice::app {
void AddData(CLI::App& app, DataOptions& options) {
  CLI::App* data = app.add_subcommand("data", "Make input data in real file formats");
  data->require_subcommand(1);
  data->footer(
      "Example:\n  sluice data make imagefolder --out data/imagefolder     (sluice data make --help)");
  CLI::App* make = data->add_subcommand("make", "Make a data set; the same seed gives the same bytes");
  make->footer(
      "Examples:\n"
      "  sluice data make imagefolder --out data/imagefolder --count 1024\n"
      "  sluice data make cifar10 --out data/cifar10");
  make->add_option("kind", options.kind, "cifar10 (binary files) or imagefolder (JPEG photographs by class)")
      ->required()
      ->check(CLI::IsMember({"cifar10", "imagefolder"}))
      ->type_name("KIND");
  make->add_option("--out", options.out, "Folder to make")->required()->type_name("DIR");
  make->add_option("--count", options.count, "Images (default: 50000 for cifar10, 1024 for imagefolder)")
      ->type_name("N")
      ->check(Whole(1));
  make->add_option("--seed", options.seed, "Seed of all random draws")
      ->type_name("N")
      ->capture_default_str()
      ->check(Whole(0));
  make->add_option("--classes", options.classes, "Classes (imagefolder only)")
      ->type_name("N")
      ->capture_default_str()
      ->check(Whole(1, 100'000));
  make->add_flag("--quiet,-q", options.quiet, "No progress");
}

}  // namespace sluice::app
