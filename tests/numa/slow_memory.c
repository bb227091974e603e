// QEMU TCG plugin: a cache miss that goes to another NUMA node's memory takes ns longer.
//   -plugin slow_memory.so,size=<bytes per node>,per=<CPUs per node>,ns=<delay>
// Each CPU has a direct-mapped cache of 8192 lines (512 KiB). Built against the plugin interface
// of QEMU 7.2 (version 1), declared here since Debian 12 ships no qemu-plugin.h:
//   gcc -O2 -shared -fPIC slow_memory.c -o slow_memory.so
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
typedef void mem_callback(unsigned cpu, qemu_plugin_meminfo_t, uint64_t vaddr, void *);
typedef void tb_callback(qemu_plugin_id_t, struct qemu_plugin_tb *);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, tb_callback *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, mem_callback *, int flags, int rw, void *);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *);

int qemu_plugin_version = 1;
static unsigned long long size, per, ns;
static uint64_t cache[256][8192];

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *unused) {
    struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);
    if (!hw || qemu_plugin_hwaddr_is_io(hw)) return;
    // QEMU 7.2 adds a RAM block's place to itself, so node n's block starts at 2 * n * size.
    uint64_t addr = qemu_plugin_hwaddr_phys_addr(hw), line = addr / 64 + 1, node = addr / (2 * size);
    uint64_t *slot = &cache[cpu % 256][line % 8192];
    if (*slot == line) return;
    *slot = line;
    if (node == cpu / per) return;
    for (uint64_t end = now() + ns; now() < end;) {}
}

static void on_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access, 0, 3, NULL);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        sscanf(argv[i], "size=%llu", &size);
        sscanf(argv[i], "per=%llu", &per);
        sscanf(argv[i], "ns=%llu", &ns);
    }
    if (!size || !per) return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
    return 0;
}
