/* sluice.h: the C interface of Sluice, for those who measure an input pipeline that is not ours.
 *
 * A process describes its pipeline (ops, connectors, knobs), creates a telemetry segment, and keeps the
 * counters in it up to date; `sluice top` and every other reader see it (docs/telemetry-segment.md). Worker
 * processes, forked or spawned, attach to the same segment and write their own worker slots.
 *
 * Fail open: every function returns a status, none aborts, throws or prints. When the folder or the space is
 * missing, the segment falls back to private memory: counting goes on, only nobody can look
 * (sluice_warning() says so). What went wrong last in this thread: sluice_last_error().
 *
 * Threads: a segment handle may be used by several threads and, after fork(), by the child; each worker slot
 * and the consumer have one writer at a time. A description belongs to one thread.
 *
 * Times are nanoseconds on CLOCK_MONOTONIC. A time that lies before the entry's last one counts as that one.
 *
 * Versions: SLUICE_ABI_VERSION is major * 1000 + minor. A larger minor only adds functions; the soname
 * carries the major. sluice_check_abi(SLUICE_ABI_VERSION) says whether the library serves what was compiled.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_ABI_VERSION 1001u

#if defined(__GNUC__)
#define SLUICE_API __attribute__((visibility("default")))
#else
#define SLUICE_API
#endif

typedef int32_t sluice_status;
enum {
  SLUICE_OK = 0,
  SLUICE_INVALID = 1,    /* an argument is wrong: NULL, an index that does not exist, a state that is none */
  SLUICE_FULL = 2,       /* no further op, connector, knob or worker slot */
  SLUICE_UNREADABLE = 3, /* the file is not there or not a segment of this version */
  SLUICE_NO_MEMORY = 4,
  SLUICE_TIMEOUT = 5,   /* sluice_knob_wait: nothing was requested in time */
  SLUICE_NOT_OWNER = 6, /* only the process that created the segment may do this */
  SLUICE_TOO_NEW = 7    /* sluice_check_abi: compiled for a newer or another version */
};

/* States of a worker and of the consumer (the latter: paused, starved or busy). */
enum { SLUICE_PAUSED = 0, SLUICE_STARVED = 1, SLUICE_BACKED_UP = 2, SLUICE_BUSY = 3, SLUICE_RETIRED = 4 };
/* The consumer, as the end of a connector. */
#define SLUICE_CONSUMER 0xffffffffu
/* What a knob turns; its target is an op (workers) or a connector (capacity). */
enum { SLUICE_KNOB_WORKERS = 0, SLUICE_KNOB_CAPACITY = 1 };
/* When a knob's request comes into force. */
enum { SLUICE_LIVE = 0, SLUICE_NEXT_EPOCH = 1, SLUICE_NEXT_RUN = 2 };
/* Why a run keeps a knob where it is. */
enum {
  SLUICE_NOT_HELD = 0,
  SLUICE_HELD_ADVISE = 1,
  SLUICE_HELD_RANDOM_DRAWS = 2,
  SLUICE_HELD_ORDER = 3,
  SLUICE_HELD_UNKNOWN = 4,
  SLUICE_HELD_WATCHING = 5,
  SLUICE_HELD_WORKER_ID = 6,
  SLUICE_HELD_FAILED = 7,
  SLUICE_HELD_UNFIT = 8,
  SLUICE_HELD_CHANGES = 9
};

typedef struct sluice_description sluice_description;
typedef struct sluice_segment sluice_segment;

SLUICE_API uint32_t sluice_abi_version(void);
SLUICE_API const char* sluice_version(void); /* of the project, "0.1.0" */
SLUICE_API sluice_status sluice_check_abi(uint32_t compiled_for);
/* Of the last call in this thread that did not return SLUICE_OK; never NULL. */
SLUICE_API const char* sluice_last_error(void);
SLUICE_API int64_t sluice_now(void);

/* ---- the description, a value of this process ---- */

/* `program` is what `sluice ls` shows. */
SLUICE_API sluice_status sluice_describe(const char* program, sluice_description** description);
SLUICE_API void sluice_description_free(sluice_description* description);
SLUICE_API sluice_status sluice_set_run_id(sluice_description* description, const char* run_id);
SLUICE_API sluice_status sluice_set_budget(sluice_description* description, double cores,
                                           int64_t memory_bytes);
/* Ops come in topological order, sources first; `id` receives the index (also below). At most 64. */
SLUICE_API sluice_status sluice_add_op(sluice_description* description, const char* name, const char* kind,
                                       int serial, uint32_t rows_per_item, uint32_t* id);
/* A step inside the workers of the op `inside`; its time is part of that op's busy time. */
SLUICE_API sluice_status sluice_add_part(sluice_description* description, const char* name, uint32_t inside,
                                         uint32_t* id);
/* At most 64. */
SLUICE_API sluice_status sluice_add_connector(sluice_description* description, const char* name,
                                              uint32_t from, uint32_t to, int64_t capacity, uint32_t* id);
/* At most 192. */
SLUICE_API sluice_status sluice_add_knob(sluice_description* description, const char* name, int kind,
                                         uint32_t target, int64_t min, int64_t max, int64_t value,
                                         int takes_effect, uint32_t* id);

/* ---- the segment ---- */

/* `folder` NULL: the default one. The description may be freed afterwards. */
SLUICE_API sluice_status sluice_create(const sluice_description* description, const char* folder,
                                       sluice_segment** segment);
/* From a worker process: maps the segment that sluice_path() of its creator names. */
SLUICE_API sluice_status sluice_attach(const char* path, sluice_segment** segment);
/* The creator's: marks the run finished and removes the file. An attached or forked one: unmaps. */
SLUICE_API void sluice_close(sluice_segment* segment);
SLUICE_API const char* sluice_path(const sluice_segment* segment);    /* "": private memory, or attached */
SLUICE_API const char* sluice_warning(const sluice_segment* segment); /* "": all is well */
SLUICE_API sluice_status sluice_set_running(sluice_segment* segment);
SLUICE_API sluice_status sluice_set_epoch(sluice_segment* segment, uint64_t epoch);
/* The consumer asks for the first item of an epoch of `length` items; 0: not known. What it waits
   until it takes one is told apart. */
SLUICE_API sluice_status sluice_epoch_begun(sluice_segment* segment, uint64_t length);
/* What the start of one worker takes, ns of CPU time: the measured process itself, and the worker beside its
   items until it has done two. 0: stays as it was. Whoever knows says it, the process or its worker. */
SLUICE_API sluice_status sluice_start_took(sluice_segment* segment, uint64_t run, uint64_t worker);
/* The consumer has left an epoch: nanoseconds from its first request to its last item, of these to the first
   one, items, and what was in force in it (`workers` -1: it was changed in its course). One thread at a time.
 */
SLUICE_API sluice_status sluice_epoch_ended(sluice_segment* segment, uint64_t took, uint64_t first,
                                            uint64_t items, int64_t workers, int64_t capacity);
SLUICE_API sluice_status sluice_set_buffered(sluice_segment* segment, int64_t bytes);
/* Once a second or so; it tells a quiet run from a dead one. */
SLUICE_API sluice_status sluice_heartbeat(sluice_segment* segment, int64_t now);
/* A sentence for the log of the run. The creator only. */
SLUICE_API sluice_status sluice_log_event(sluice_segment* segment, int64_t now, const char* sentence);

/* ---- workers ---- */

/* A fresh slot; any process may ask. At most 1024 per segment, so hand a slot of an ended worker to its
 * successor: sluice_worker_begin() again. */
SLUICE_API sluice_status sluice_add_worker(sluice_segment* segment, uint32_t op, uint32_t* worker);
/* The calling thread owns the slot from now on, starved. */
SLUICE_API sluice_status sluice_worker_begin(sluice_segment* segment, uint32_t worker, int64_t now);
SLUICE_API sluice_status sluice_worker_enter(sluice_segment* segment, uint32_t worker, int state,
                                             int64_t now);
/* One finished item that took `busy` ns. */
SLUICE_API sluice_status sluice_worker_done(sluice_segment* segment, uint32_t worker, uint64_t bytes,
                                            int64_t busy);
/* For items that take so little that telling of each would be felt (since ABI 1001): `items` of `bytes`
   together, finished since the worker has entered its state, on which it was busy for `busy` ns. It was in
   that state for the rest of the time until `now`, and stays in it. Such items are in no trace. */
SLUICE_API sluice_status sluice_worker_did(sluice_segment* segment, uint32_t worker, uint64_t items,
                                           uint64_t bytes, int64_t busy, int64_t now);
/* The worker has ended, or gets no more work for a while: it counts no more until it enters a state or begins
   again. By itself or by whoever saw that. */
SLUICE_API sluice_status sluice_worker_retire(sluice_segment* segment, uint32_t worker, int64_t now);
/* Whether a worker has begun in the slot, in whatever process, and not retired since. */
SLUICE_API sluice_status sluice_worker_lives(const sluice_segment* segment, uint32_t worker, int* lives);
/* `count` finished items of a part and the ns each took; any thread of any process. */
SLUICE_API sluice_status sluice_part_done(sluice_segment* segment, uint32_t part, const int64_t* took,
                                          size_t count);
/* Items of an op so far, over all its workers. */
SLUICE_API sluice_status sluice_op_items(const sluice_segment* segment, uint32_t op, uint64_t* items);
/* Rows that failed. */
SLUICE_API sluice_status sluice_op_failed(sluice_segment* segment, uint32_t op, uint64_t rows);

/* ---- connectors: any thread of any process ---- */

SLUICE_API sluice_status sluice_push(sluice_segment* segment, uint32_t connector, uint64_t items,
                                     uint64_t bytes, int64_t now);
/* `bytes` < 0: the mean of those waiting. */
SLUICE_API sluice_status sluice_pop(sluice_segment* segment, uint32_t connector, uint64_t items,
                                    int64_t bytes, int64_t now);
/* What waits is dropped, as at the end of an epoch; counts as popped. */
SLUICE_API sluice_status sluice_drain(sluice_segment* segment, uint32_t connector, int64_t now);
SLUICE_API sluice_status sluice_set_capacity(sluice_segment* segment, uint32_t connector, int64_t capacity,
                                             int64_t now);
SLUICE_API sluice_status sluice_depth(const sluice_segment* segment, uint32_t connector, int64_t* items,
                                      int64_t* bytes);

/* ---- the consumer ---- */

/* SLUICE_STARVED when it begins to wait, SLUICE_BUSY when it has an item, SLUICE_PAUSED when it stops asking.
 */
SLUICE_API sluice_status sluice_consumer_enter(sluice_segment* segment, int state, int64_t now);
SLUICE_API sluice_status sluice_consumer_took(sluice_segment* segment, uint64_t items, uint64_t rows);
/* The same of several (since ABI 1001), taken since the consumer has entered SLUICE_BUSY, for which it waited
   `starved` ns together. It worked for the rest of the time until `now`, when it had the last of them, and
   goes on. */
SLUICE_API sluice_status sluice_consumer_did(sluice_segment* segment, uint64_t items, uint64_t rows,
                                             int64_t starved, int64_t now);

/* ---- traces (since ABI 1001) ---- */

/* Spans are written until this moment (CLOCK_MONOTONIC, ns): one for each state that a worker or the consumer
   leaves. Whoever traces sets it, from another process. Its address is good until the segment is closed. */
SLUICE_API const int64_t* sluice_trace_until(const sluice_segment* segment);
/* What a worker, or SLUICE_CONSUMER, works on in the state it is in: `ins` items of the connector before its
   op, from number `in` on, and `outs` of the one behind it, from `out` on. A connector's items are numbered
   from 0, in the order in which they are popped. Worth calling only while somebody traces. */
SLUICE_API sluice_status sluice_items(sluice_segment* segment, uint32_t worker, uint64_t in, uint32_t ins,
                                      uint64_t out, uint32_t outs);

/* ---- knobs ---- */

SLUICE_API sluice_status sluice_knob_requested(const sluice_segment* segment, uint32_t knob, int64_t* value);
/* Puts a value in force; also tells of one that was changed from elsewhere. */
SLUICE_API sluice_status sluice_knob_apply(sluice_segment* segment, uint32_t knob, int64_t value);
/* Keeps the knob where it is and says why; SLUICE_NOT_HELD lets go. */
SLUICE_API sluice_status sluice_knob_hold(sluice_segment* segment, uint32_t knob, int because);
/* A number that grows with every request; its address is good until the segment is closed. */
SLUICE_API const uint32_t* sluice_knob_serial(const sluice_segment* segment);
/* Sleeps until that number differs from `seen`, at most `timeout` ns. */
SLUICE_API sluice_status sluice_knob_wait(const sluice_segment* segment, uint32_t seen, int64_t timeout,
                                          uint32_t* serial);
/* As an agent would: requests a value for a knob, within its bounds. */
SLUICE_API sluice_status sluice_knob_request(sluice_segment* segment, uint32_t knob, int64_t value);

/* ---- what was decided about the pipeline (since ABI 1001): any process ---- */

/* Bytes of a record's text, its NUL included. */
#define SLUICE_RECORD_SIZE 432u
/* The record behind those that `cursor` has passed, 0 at first: its JSON (docs/telemetry-segment.md), when it
 * was written, and `cursor` has passed it. An empty text: there is none yet; to find that out takes one
 * atomic load. What was overwritten before it was read is left out. `size`: at least SLUICE_RECORD_SIZE. */
SLUICE_API sluice_status sluice_next_record(const sluice_segment* segment, uint64_t* cursor, int64_t* at,
                                            char* text, size_t size);
/* Of the process that created the segment, in a distributed run, by what its launcher says; -1: none. */
SLUICE_API int32_t sluice_rank(const sluice_segment* segment);

#ifdef __cplusplus
}
#endif
