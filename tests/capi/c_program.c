/* Measures a loop of its own, as a program in C would. Exit code 0: all went as sluice.h says. */
#include <stdio.h>
#include <string.h>

#include "sluice.h"

#define MUST(call)                                                              \
  do {                                                                          \
    sluice_status status_ = (call);                                             \
    if (status_ != SLUICE_OK) {                                                 \
      fprintf(stderr, "%s: %d: %s\n", #call, (int)status_, sluice_last_error()); \
      return 1;                                                                 \
    }                                                                           \
  } while (0)

static int describe(sluice_segment** segment) {
  sluice_description* description = NULL;
  uint32_t op = 0, connector = 0, knob = 0;
  MUST(sluice_describe("c_program", &description));
  MUST(sluice_add_op(description, "read", "source", 0, 32, &op));
  MUST(sluice_add_connector(description, "read->consumer", op, SLUICE_CONSUMER, 4, &connector));
  MUST(sluice_add_knob(description, "read.workers", SLUICE_KNOB_WORKERS, op, 1, 8, 1, SLUICE_LIVE, &knob));
  MUST(sluice_create(description, NULL, segment));
  sluice_description_free(description);
  return 0;
}

static int count(sluice_segment* segment) {
  uint32_t worker = 0;
  uint64_t items = 0;
  int64_t value = 0, now = sluice_now();
  MUST(sluice_set_running(segment));
  MUST(sluice_add_worker(segment, 0, &worker));
  MUST(sluice_worker_begin(segment, worker, now));
  MUST(sluice_worker_enter(segment, worker, SLUICE_BUSY, now + 10));
  MUST(sluice_worker_done(segment, worker, 4096, 1000));
  MUST(sluice_push(segment, 0, 1, 4096, now + 1010));
  MUST(sluice_consumer_enter(segment, SLUICE_BUSY, now + 1020));
  MUST(sluice_consumer_took(segment, 1, 32));
  MUST(sluice_pop(segment, 0, 1, 4096, now + 1020));
  MUST(sluice_op_items(segment, 0, &items));
  MUST(sluice_knob_requested(segment, 0, &value));
  return items == 1 && value == 1 ? 0 : 1;
}

int main(void) {
  sluice_segment* segment = NULL;
  int failed;
  MUST(sluice_check_abi(SLUICE_ABI_VERSION));
  if (describe(&segment) != 0) return 1;
  failed = count(segment);
  sluice_close(segment);
  return failed;
}
