// Two GPUs, of which the second one does not answer. The first is busier with each question: 10 %, 30 %, 50
// %, ...
#include <cstring>

namespace {
int started = 0;
unsigned asked = 0;
char first, second;
constexpr int kSuccess = 0;
constexpr int kUnknown = 999;
}  // namespace

extern "C" {
int nvmlInit_v2() {
  ++started;
  return kSuccess;
}
int nvmlShutdown() {
  asked = 0;
  return --started == 0 ? kSuccess : kUnknown;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return started > 0 ? kSuccess : kUnknown;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = index == 0 ? &first : &second;
  return kSuccess;
}
int nvmlDeviceGetName(void*, char* name, unsigned length) {
  std::strncpy(name, "Fake GPU", length);
  return kSuccess;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* utilization) {
  if (device != &first) return kUnknown;
  utilization[0] = 10 + 20 * asked++;
  utilization[1] = 1;
  return kSuccess;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* memory) {
  if (device != &first) return kUnknown;
  memory[0] = 8ULL << 30;
  memory[1] = 6ULL << 30;
  memory[2] = 2ULL << 30;
  return kSuccess;
}
}
