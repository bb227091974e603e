// What `sluice doctor` finds about the host itself: storage, nodes, clock, threads, pressure, memory. Reads
// the machine and asks measured runs; changes nothing.
#pragma once
#include <string>
#include <vector>

#include "doctor/doctor_words.h"
#include "sluice/base/error.h"
#include "sluice/base/units.h"
#include "sluice/probes/data_sample.h"
#include "sluice/probes/numa_counts.h"

namespace sluice::app {

// A data set of the user's.
struct DataSet {
  std::string folder;  // as the user names it
  std::string path;    // the same, absolute and without links
  probes::DataSample sample;
};

// Of the current folder where none is named. An error names the folder that is not there or may not be read;
// of the current one there is nothing then.
[[nodiscard]] Result<std::vector<DataSet>> FindDataSets(const std::vector<std::string>& folders);

// When a look began, and what had been counted by then.
struct FirstLook {
  MonoTime at{0};
  std::vector<probes::NodeCounts> nodes;
};
[[nodiscard]] FirstLook LookFirst();

[[nodiscard]] std::vector<DoctorCheck> CheckHost(const FirstLook& first, const std::vector<DataSet>& data);

}  // namespace sluice::app
