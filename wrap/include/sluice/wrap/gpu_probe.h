// GpuProbe: how busy the machine's NVIDIA GPUs are, asked of NVML. The library is loaded at run time; where
// there is none, there are no GPUs to tell of. One thread.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/process_use.h"

namespace sluice::wrap {

class GpuProbe {
 public:
  // nullptr: no library, or it says that there is no GPU.
  [[nodiscard]] static std::unique_ptr<GpuProbe> Open(const std::string& library = "libnvidia-ml.so.1");
  ~GpuProbe();
  GpuProbe(const GpuProbe&) = delete;
  GpuProbe& operator=(const GpuProbe&) = delete;

  void Sample();
  // Without those that never answered.
  [[nodiscard]] std::vector<GpuUse> Use() const;

 private:
  struct Nvml;
  struct Device;
  GpuProbe(std::unique_ptr<Nvml> nvml, std::vector<Device> devices);

  std::unique_ptr<Nvml> nvml_;
  std::vector<Device> devices_;
};

}  // namespace sluice::wrap
