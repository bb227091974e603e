"""What the runs take of the machine, and what it grants them; and whether the metrics themselves arrive."""
from boards import shares
from boards.frame import Board, Row
from boards.panels import Panel, Query, legend, lines, stat

OF_A_PROCESS = "{{pid}} {{rank}} {{instance}}"


def cores() -> tuple[Panel, ...]:
    queued = "sum by (job, instance) (rate(sluice_op_runnable_seconds_total[$__rate_interval]))"
    return (
        lines("Cores in use", "CPU time per second of each measured process.", "short", Query(shares.CPU, OF_A_PROCESS), stacked=True),
        lines("Cores that may be used", "The budget of each pipeline or loader; may be fractional. Where as many are in use, the cores "
              "are the limit, and more workers only queue.", "short", Query("sluice_budget_cores", legend()), steps=True),
        lines("Workers that are ready for a core", "Workers that could run and have no core, on average. Much of it: other work, or too "
              "many threads, take the cores.", "short", Query(queued, "{{instance}}"), no_data="the kernel does not say so."),
        lines("Held back by the cgroup's CPU quota", "Share of the CPU time that the process wants and does not get. From 10 % on it "
              "fires an alert.", "percentunit", Query(shares.THROTTLED_SHARE, OF_A_PROCESS), limits=((0.0, "green"), (0.1, "red")),
              no_data="no cgroup with a CPU quota is around the process."),
    )


def memory() -> tuple[Panel, ...]:
    return (
        lines("Resident memory", "Of each measured process.", "bytes", Query("sluice_process_resident_memory_bytes", OF_A_PROCESS),
              width=8, stacked=True),
        lines("Memory of the workers", "Workers that are processes, each with memory of its own: all those of an op.", "bytes",
              Query("sluice_op_workers * sluice_op_worker_memory_bytes", legend("{{op}}")), width=8,
              no_data="workers are threads, or their memory is not known."),
        lines("Shared memory", "Size of /dev/shm, in which worker processes hand over their batches, and what is free of it. Below 10 % "
              "it fires an alert: a worker that finds no room there is killed.", "bytes",
              Query("sluice_shared_memory_free_bytes", "{{instance}} free"), Query("sluice_shared_memory_size_bytes", "{{instance}} size"),
              width=8),
        lines("Buffered", "Bytes between source and consumer, in connectors and workers: now, and the most so far.", "bytes",
              Query("sluice_buffered_bytes", legend("now")), Query("sluice_buffered_peak_bytes", legend("at most")), width=8),
        lines("Buffered, as a share of what may be", "Near 100 % memory is what keeps tuning from more workers and longer connectors.",
              "percentunit", Query("sluice_buffered_bytes / (sluice_buffered_limit_bytes > 0)", legend()), width=8,
              no_data="the run has no limit for what is buffered."),
    )


def scrapes() -> tuple[Panel, ...]:
    return (
        stat("Endpoints that answer", "Of those that Prometheus has been told of.", "short", Query("sum(up)", "answer"), 6),
        stat("Endpoints that do not", "A run that has ended, or cannot be reached.", "short",
             Query("count(up) - sum(up)", "do not answer"), 6, steps=((0.0, "green"), (1.0, "red"))),
        lines("Age of what is shown", "Between the measurement and the scrape. It grows where Sluice's agent does not get a core.", "s",
              Query("time() - sluice_snapshot_timestamp_seconds", legend()), width=6),
        lines("Cores that Sluice takes", "CPU time per second of its agent, which measures, decides and serves this.", "short",
              Query("rate(sluice_agent_cpu_seconds_total[$__rate_interval])", "{{instance}}"), width=6),
        lines("Time of a scrape", "How long the endpoint takes to answer.", "s", Query("scrape_duration_seconds", "{{instance}}"), width=6),
        lines("Samples of a scrape", "How much it answers: about thirty for each op of each loader.", "short",
              Query("scrape_samples_scraped", "{{instance}}"), width=6),
    )


def board() -> Board:
    return Board("sluice-host", "Sluice: host", "Cores and memory that the measured processes take, and what they may.",
                 (Row("Cores", cores()), Row("Memory", memory()), Row("Metrics", scrapes())))
