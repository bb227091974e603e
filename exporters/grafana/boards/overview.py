"""Does the consumer wait, and where does it come from: the first look, in the order in which items move."""
from boards import shares
from boards.frame import Board, Row, link_to
from boards.panels import WAITING, Panel, Query, bars, labels, legend, lines, stat, states

TO_OPS = (link_to("sluice-ops", "This op in detail", {"op": "op"}),)
TO_RANKS = (link_to("sluice-ranks", "Compare the ranks", {}),)
TO_TUNER = (link_to("sluice-tuner", "What tuning did", {}),)
TO_HOST = (link_to("sluice-host", "Cores and memory", {}),)


def first_look() -> tuple[Panel, ...]:
    return (
        stat("Waiting for data", "Share of its time in which the consumer waits. Below 5 % nothing has to be changed; from 20 % on the "
             "input is what limits the training.", "percentunit", Query(shares.WAITING_SHARE, legend()), 6, steps=WAITING),
        stat("Rows per second", "Rows that the consumer takes.", "cps", Query(shares.ROWS, legend()), 6),
        stat("Pipelines running", "Pipelines and loaders that have not ended.", "short",
             Query("sum(1 - sluice_run_finished)", "running")),
        stat("Epoch", "Epoch that the consumer is in, from 0.", "none", Query("sluice_run_epoch", legend())),
        stat("Alerts", "Alerts of Sluice that fire, by Prometheus with exporters/prometheus/alerts.yml.", "short",
             Query('count by (alertname) (ALERTS{alertname=~"Sluice.*",alertstate="firing"})', "{{alertname}}"),
             steps=((0.0, "red"),), no_data="no alert fires, or Prometheus has not loaded the rules."),
        states("What limits the run", "Sluice's own verdict, from moment to moment. What each one means and what to do: docs/verdicts.md.",
               "bool_yes_no", Query("sluice_verdict == 1", legend("{{sluice_verdict}}")), width=16),
        stat("How sure that is", "From 0 to 100 %.", "percentunit", Query("sluice_verdict_confidence_ratio", legend()), 4, 8,
             no_data="nothing is known to limit the run."),
        stat("The op that it is about", "The op that limits the run.", "none",
             Query("sluice_verdict_op == 1", legend("{{op}}")), 4, 8, named=True, no_data="no op is the limit."),
        labels("Runs", "What is measured: one row for each endpoint.", Query("sluice_run_info", "", at_once=True)),
    )


def ops() -> tuple[Panel, ...]:
    return (
        lines("Busy share of an op's workers", "Time inside the op, as a share of its workers' time. The op that limits the run is near "
              "100 %, and those behind it are starved.", "percentunit", Query(shares.OP_BUSY_SHARE, legend("{{op}}")), width=8,
              links=TO_OPS),
        lines("Items of each op", "Items finished per second. An op that makes batches counts batches.", "cps",
              Query(shares.OP_ITEMS, legend("{{op}}")), width=8, links=TO_OPS),
        bars("Failed rows", "Rows that raised an error, were skipped or replaced, in each epoch anew.", "short",
             Query("increase(sluice_op_failed_rows_total[$__rate_interval])", legend("{{op}}")), width=8),
    )


def connectors() -> tuple[Panel, ...]:
    return (
        lines("Fill of the connectors", "Items that wait, as a share of those that may. Full before an op and empty behind it: that op is "
              "the limit.", "percentunit", Query(shares.CONNECTOR_FILL, legend("{{connector}}")), most=1),
        lines("Time that a connector is empty", "Share of the time at depth 0: the ops before it are too slow.", "percentunit",
              Query(shares.CONNECTOR_EMPTY, legend("{{connector}}")), most=1),
    )


def quantile(share: float, histogram: str) -> str:
    buckets = f"rate({histogram}_bucket[$__rate_interval])"
    return f"histogram_quantile({share}, sum by (le, job, instance, loader, rank) ({buckets}))"


def consumer() -> tuple[Panel, ...]:
    return (
        lines("Share of its time that the consumer waits", "The lines are at 5 % and 20 %. It has no value while the consumer's clocks "
              "stand, as between two epochs.", "percentunit", Query(shares.WAITING_SHARE, legend()), limits=WAITING, most=1,
              width=8, links=TO_RANKS),
        lines("Steps and waits", "Time of a step, and wait for its data: half take less than p50, one in a hundred more than p99. "
              "From buckets between 0.1 ms and 100 s, so both are rough.", "s",
              *(Query(quantile(share, metric), legend(f"{word} p{100 * share:.0f}"))
                for word, metric in (("step", "sluice_step_duration_seconds"), ("wait", "sluice_step_input_wait_seconds"))
                for share in (0.5, 0.99)), width=8, links=TO_RANKS),
        lines("Batches and rows", "What the consumer takes per second.", "cps", Query(shares.ITEMS, legend("batches")),
              Query(shares.ROWS, legend("rows")), width=8, links=TO_RANKS),
    )


def tuner() -> tuple[Panel, ...]:
    return (
        lines("Knobs in force", "Workers of ops, items of connectors.", "short", Query("sluice_knob_value", legend("{{knob}}")),
              steps=True, links=TO_TUNER),
        bars("Decisions", "Changes of knobs, by what became of them. One on trial is not counted yet.", "short",
             Query(f"sum by (outcome) ({shares.decided('.+')})", "{{outcome}}")),
    )


def host() -> tuple[Panel, ...]:
    return (
        lines("Cores in use", "CPU time per second of the measured process, and the cores that the run may use.", "short",
              Query(shares.CPU, "in use {{pid}} {{rank}} {{instance}}"),
              Query("max by (instance) (sluice_budget_cores)", "budget {{instance}}"), width=8, links=TO_HOST),
        lines("Resident memory", "Of the measured process.", "bytes",
              Query("sluice_process_resident_memory_bytes", "{{pid}} {{rank}} {{instance}}"), width=8, links=TO_HOST),
        lines("Buffered", "Bytes between source and consumer, in connectors and workers.", "bytes",
              Query("sluice_buffered_bytes", legend()), width=8, links=TO_HOST),
    )


def board() -> Board:
    return Board("sluice-overview", "Sluice: overview", "Whether training waits for its data, and which part of the input makes it wait.",
                 (Row("Does the consumer wait?", first_look()), Row("Ops", ops()), Row("Connectors", connectors()),
                  Row("Consumer", consumer()), Row("Tuning", tuner()), Row("Cores and memory", host())))
