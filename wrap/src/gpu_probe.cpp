#include "sluice/wrap/gpu_probe.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::wrap {
namespace {

using Handle = void*;

// As nvml.h has them.
struct NvmlUtilization {
  unsigned gpu = 0;  // percent
  unsigned memory = 0;
};
struct NvmlMemory {
  unsigned long long total = 0, free = 0, used = 0;
};

template <typename Function>
bool Find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

struct GpuProbe::Nvml {
  explicit Nvml(void* opened) : library(opened) {}
  ~Nvml() {
    if (running) shutdown();
    if (library != nullptr) dlclose(library);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool Start() {
    const bool whole = Find(library, "nvmlInit_v2", init) && Find(library, "nvmlShutdown", shutdown) &&
                       Find(library, "nvmlDeviceGetCount_v2", count) &&
                       Find(library, "nvmlDeviceGetHandleByIndex_v2", handle) &&
                       Find(library, "nvmlDeviceGetName", name) &&
                       Find(library, "nvmlDeviceGetUtilizationRates", utilization) &&
                       Find(library, "nvmlDeviceGetMemoryInfo", memory);
    return whole && (running = init() == 0);
  }

  void* library;
  bool running = false;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, Handle*) = nullptr;
  int (*name)(Handle, char*, unsigned) = nullptr;
  int (*utilization)(Handle, NvmlUtilization*) = nullptr;
  int (*memory)(Handle, NvmlMemory*) = nullptr;
};

struct GpuProbe::Device {
  Handle handle = nullptr;
  GpuUse use;
  unsigned long long samples = 0;
  double busy_sum = 0;
};

GpuProbe::GpuProbe(std::unique_ptr<Nvml> nvml, std::vector<Device> devices)
    : nvml_(std::move(nvml)), devices_(std::move(devices)) {}

GpuProbe::~GpuProbe() = default;

std::unique_ptr<GpuProbe> GpuProbe::Open(const std::string& library) {
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return nullptr;
  auto nvml = std::make_unique<Nvml>(opened);
  unsigned count = 0;
  if (!nvml->Start() || nvml->count(&count) != 0) return nullptr;
  std::vector<Device> devices;
  for (unsigned i = 0; i < count; ++i) {
    Device device;
    std::array<char, 96> name{};
    if (nvml->handle(i, &device.handle) != 0) continue;
    if (nvml->name(device.handle, name.data(), name.size() - 1) == 0) device.use.name = name.data();
    devices.push_back(std::move(device));
  }
  if (devices.empty()) return nullptr;
  return std::unique_ptr<GpuProbe>(new GpuProbe(std::move(nvml), std::move(devices)));
}

void GpuProbe::Sample() {
  for (Device& device : devices_) {
    NvmlUtilization busy;
    NvmlMemory memory;
    if (nvml_->utilization(device.handle, &busy) != 0) continue;
    ++device.samples;
    device.busy_sum += busy.gpu / 100.0;
    GpuUse& use = device.use;
    use.mean_busy = {device.busy_sum / static_cast<double>(device.samples)};
    use.peak_busy = std::max(use.peak_busy, Fraction{busy.gpu / 100.0});
    if (nvml_->memory(device.handle, &memory) != 0) continue;
    use.memory = {static_cast<std::int64_t>(memory.total)};
    use.peak_memory = std::max(use.peak_memory, Bytes{static_cast<std::int64_t>(memory.used)});
  }
}

std::vector<GpuUse> GpuProbe::Use() const {
  std::vector<GpuUse> uses;
  for (const Device& device : devices_) {
    if (device.samples > 0) uses.push_back(device.use);
  }
  return uses;
}

}  // namespace sluice::wrap
