#include "cli/import_options.h"

#include <cstdint>

#include "cli/checks.h"

namespace sluice::app {
namespace {

constexpr const char* kMindSporeExamples =
    "Examples:\n"
    "  sluice import mindspore-profile profiler -o run.sluice          all ranks that DIR has files of\n"
    "  sluice import mindspore-profile profiler -o run.sluice --rank 3 --batch-size 32\n"
    "  sluice report run.sluice -o report.html                         ... and what the run was like\n"
    "  sluice replay run.sluice\n"
    "  sluice compare before.sluice after.sluice\n"
    "\n"
    "Read are the files of mindspore.Profiler(data_process=True) for each rank R, of MindSpore 1 and 2:\n"
    "  pipeline_profiling_R.json            ops, workers, sampled queue sizes\n"
    "  minddata_cpu_utilization_R.json      CPU time per op, memory\n"
    "  device_queue_profiling_R.txt         batches sent to a device, or, where there is none,\n"
    "  dataset_iterator_profiling_R.txt     batches taken from an iterator\n"
    "\n"
    "What a file lacks is left open, and said: a profile counts no items per op and times no workers. A rank "
    "needs its\n"
    "pipeline or its batches; the rest may be missing. docs/mindspore-profile.md says how the figures come "
    "about.";

}  // namespace

void AddImport(CLI::App& app, ImportOptions& options) {
  CLI::App* all = app.add_subcommand("import", "Make a session of what another system has recorded");
  all->require_subcommand(1);
  all->footer(
      "Example:\n"
      "  sluice import mindspore-profile profiler -o run.sluice      (sluice import mindspore-profile "
      "--help)");
  CLI::App* profile = all->add_subcommand("mindspore-profile", "A profile of a MindSpore input pipeline");
  profile->footer(kMindSporeExamples);
  profile->add_option("folder", options.folder, "Where MindSpore's profiler has put its files")
      ->required()
      ->type_name("DIR");
  profile->add_option("--output,-o", options.output, "The session to write; one that is there is replaced")
      ->required()
      ->type_name("FILE");
  profile->add_option("--rank", options.rank, "This rank only: the number in the names of the files")
      ->type_name("N")
      ->check(Whole(0, INT32_MAX));
  profile
      ->add_option("--batch-size", options.batch_size,
                   "Rows of a batch, which no file tells: rates in rows rather than in batches")
      ->type_name("N")
      ->check(Whole(1, 1U << 30U));
}

}  // namespace sluice::app
