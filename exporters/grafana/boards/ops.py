"""One op, or all of them, and the connectors between them: where workers' time goes, and how long an item takes."""
from boards import shares
from boards.frame import Board, Row
from boards.panels import Panel, Query, bars, heatmap, legend, lines

BUCKETS = "rate(sluice_op_item_duration_seconds_bucket[$__rate_interval])"
OFF_CPU = ("rate(sluice_op_busy_seconds_total[$__rate_interval]) - rate(sluice_op_on_cpu_seconds_total[$__rate_interval])"
           " - rate(sluice_op_runnable_seconds_total[$__rate_interval])")
NOT_MEASURED = "the kernel does not say so of these workers."
NOT_ASKED = "the run was started without --metrics-workers."


def seconds_of(state: str) -> str:
    return f"rate(sluice_op_{state}_seconds_total[$__rate_interval])"


def quantile(share: float) -> str:
    return f"histogram_quantile({share}, sum by (le, job, instance, loader, rank, op) ({BUCKETS}))"


def mean_of(total: str) -> str:
    """Of an item."""
    return f"rate({total}[$__rate_interval]) / ({shares.OP_ITEMS} > 0)"


def time_of_workers() -> tuple[Panel, ...]:
    return (
        lines("Workers that are busy", "Workers inside the op, on average. More of them than cores is right where they wait for something.",
              "short", Query(seconds_of("busy"), legend("{{op}}")), width=8),
        lines("Workers that are starved", "Workers without input, on average: the ops before this one are too slow.", "short",
              Query(seconds_of("starved"), legend("{{op}}")), width=8),
        lines("Workers that are backed up", "Workers without room, on average: the ops behind this one are too slow.", "short",
              Query(seconds_of("backed_up"), legend("{{op}}")), width=8),
        lines("Workers", "Workers alive.", "short", Query("sluice_op_workers", legend("{{op}}")), width=8, steps=True),
        lines("Busy share", "Time inside the op, as a share of its workers' time.", "percentunit",
              Query(shares.OP_BUSY_SHARE, legend("{{op}}")), width=8),
        lines("Busy time: on a core, ready for one, off the cores", "Workers inside the op, on average. Ready for a core: more threads "
              "want cores than there are. Off the cores: files, the network, a lock.", "short",
              Query(seconds_of("on_cpu"), legend("{{op}} on a core")), Query(seconds_of("runnable"), legend("{{op}} ready")),
              Query(OFF_CPU, legend("{{op}} off the cores")), width=8, no_data=NOT_MEASURED),
    )


def items() -> tuple[Panel, ...]:
    return (
        lines("Items", "Items finished per second.", "cps", Query(shares.OP_ITEMS, legend("{{op}}")), width=8),
        lines("Bytes", "Bytes of the items that are finished, per second.", "Bps",
              Query("rate(sluice_op_bytes_total[$__rate_interval])", legend("{{op}}")), width=8),
        lines("Bytes of an item", "The mean.", "bytes", Query(mean_of("sluice_op_bytes_total"), legend("{{op}}")), width=8,
              no_data="no op finishes an item."),
        lines("Busy time of an item", "The mean: busy time of the workers, over items finished.", "s",
              Query(mean_of("sluice_op_busy_seconds_total"), legend("{{op}}")), width=8, no_data="no op finishes an item."),
        lines("Busy time of an item, the middle and the slowest", "Half of the items take less than p50, one in a hundred more than p99. "
              "From buckets between 1 µs and 1 s, so both are rough.", "s", Query(quantile(0.5), legend("{{op}} p50")),
              Query(quantile(0.99), legend("{{op}} p99")), width=8, no_data="no op finishes an item, or none is timed one by one."),
        heatmap("Busy time of items", "How many items took how long, of the ops that are chosen above.", "s",
                Query(f"sum by (le) ({BUCKETS})", "{{le}}"), width=8, no_data="no op is timed item by item."),
        bars("Failed rows", "Rows that raised an error, were skipped or replaced, in each epoch anew.", "short",
             Query("increase(sluice_op_failed_rows_total[$__rate_interval])", legend("{{op}}")), width=24),
    )


def connectors() -> tuple[Panel, ...]:
    return (
        lines("Depth", "Items that wait now, how many may, and the most so far.", "short",
              Query("sluice_connector_depth_items", legend("{{connector}}")),
              Query("sluice_connector_capacity_items", legend("{{connector}} at most")),
              Query("sluice_connector_high_water_items", legend("{{connector}} most so far")), width=8),
        lines("Mean depth", "Items that waited, on average since the scrape before: what lies between two looks is in it.", "short",
              Query("rate(sluice_connector_depth_item_seconds_total[$__rate_interval])", legend("{{connector}}")), width=8),
        lines("Bytes that wait", "Held by the waiting items.", "bytes", Query("sluice_connector_buffered_bytes", legend("{{connector}}")),
              width=8),
        lines("Empty", "Share of the time at depth 0: the ops before it are too slow.", "percentunit",
              Query(shares.CONNECTOR_EMPTY, legend("{{connector}}")), width=8, most=1),
        lines("Full", "Share of the time without room: the ops behind it are too slow.", "percentunit",
              Query(shares.CONNECTOR_FULL, legend("{{connector}}")), width=8, most=1),
        lines("Items in and out", "Items put in and taken out, per second.", "cps",
              Query("rate(sluice_connector_pushed_items_total[$__rate_interval])", legend("{{connector}} in")),
              Query("rate(sluice_connector_popped_items_total[$__rate_interval])", legend("{{connector}} out")), width=8),
    )


def consumer() -> tuple[Panel, ...]:
    return (
        lines("The consumer's time", "Shares of each second: its own work, and waiting. What is missing to 100 % is neither: a pause, or "
              "the time between two epochs.", "percentunit", Query(shares.BUSY, legend("busy")),
              Query(shares.STARVED, legend("starved")), stacked=True),
        lines("Batches", "Items that the consumer takes, per second.", "cps", Query(shares.ITEMS, legend())),
    )


def workers() -> tuple[Panel, ...]:
    def share(state: str) -> Query:
        return Query(f"rate(sluice_worker_{state}_seconds_total[$__rate_interval])", legend("{{op}}/{{worker}}"))
    return (
        lines("Busy, worker by worker", "Share of the time inside the op. A worker that is always far above the others of its op has "
              "the slower rows, or the slower core.", "percentunit", share("busy"), width=8, most=1, no_data=NOT_ASKED),
        lines("Starved, worker by worker", "Share of the time without input: the ops before this one are too slow.", "percentunit",
              share("starved"), width=8, most=1, no_data=NOT_ASKED),
        lines("Backed up, worker by worker", "Share of the time without room: the ops behind this one are too slow.", "percentunit",
              share("backed_up"), width=8, most=1, no_data=NOT_ASKED),
        lines("Items, worker by worker", "Items finished per second. A worker that is gone stays at 0 until another takes its place.",
              "cps", Query("rate(sluice_worker_items_total[$__rate_interval])", legend("{{op}}/{{worker}}")), no_data=NOT_ASKED),
        lines("Workers without series", "Those beyond the N of --metrics-workers N, which the other panels of this row do not show.",
              "short", Query("sluice_workers_without_series", legend()), steps=True, no_data=NOT_ASKED),
    )


def board() -> Board:
    return Board("sluice-ops", "Sluice: ops and connectors", "Where the workers' time goes, op by op, and what waits between them.",
                 (Row("Ops: the workers' time", time_of_workers()), Row("Ops: items", items()), Row("Connectors", connectors()),
                  Row("Consumer", consumer()), Row("Workers, one by one (--metrics-workers)", workers(), folded=True)))
