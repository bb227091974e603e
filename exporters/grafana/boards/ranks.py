"""Ranks side by side: ranks that train in step are as slow as the one whose data is late."""
from boards import shares
from boards.frame import Board, Row, link_to
from boards.panels import WAITING, Panel, Query, legend, lines, stat, table

APART = ((0.0, "green"), (0.05, "yellow"), (0.1, "red"))
OF_A_RUN = "by (job, run, loader)"  # `run`: a label that targets may have
TO_OPS = (link_to("sluice-ops", "Ops of this rank", {"rank": "rank"}),)


def apart(expression: str, how: str) -> str:
    """Of each rank against the best or worst of its run."""
    return f"({expression}) - on (job, run, loader) group_left () {how} {OF_A_RUN} ({expression})"


def held_up() -> tuple[Panel, ...]:
    most, least = (f"{how} {OF_A_RUN} ({shares.WAITING_SHARE})" for how in ("max", "min"))
    return (
        stat("The rank that waits most", "Share of its time. Without ranks: the run's own.", "percentunit", Query(most, "{{loader}}"), 8,
             steps=WAITING),
        stat("The rank that waits least", "Share of its time.", "percentunit", Query(least, "{{loader}}"), 8, steps=WAITING),
        stat("Between the two", "What the worst served rank waits more than the best served one. From 10 % on it fires an alert.",
             "percentunit", Query(f"{most} - {least}", "{{loader}}"), 8, steps=APART),
        lines("Share of its time that each rank waits", "One rank above the others holds all of them up, and theirs is spent in the "
              "exchange of gradients.", "percentunit", Query(shares.WAITING_SHARE, legend()), limits=WAITING, most=1, links=TO_OPS),
        lines("More than the best served rank", "What each rank waits more than the one that waits least. The lines are at 5 % and 10 %.",
              "percentunit", Query(apart(shares.WAITING_SHARE, "min"), legend()), limits=APART, links=TO_OPS),
    )


def rates() -> tuple[Panel, ...]:
    return (
        lines("Batches of each rank", "Ranks in step take as many as each other.", "cps", Query(shares.ITEMS, legend()), links=TO_OPS),
        lines("Slowest against fastest rank", "Batches per second of the one, as a share of the other's. Below 95 % they do not run in "
              "step.", "percentunit",
              Query(f"min {OF_A_RUN} ({shares.ITEMS}) / (max {OF_A_RUN} ({shares.ITEMS}) > 0)", "{{loader}}"), most=1,
              no_data="no rank takes a batch."),
        table("Ranks", "The latest values of each rank.", "short",
              {"Waiting": (Query(f"{shares.OF_EACH_LOADER} ({shares.WAITING_SHARE})", "", at_once=True), "percentunit"),
               "Batches per second": (Query(f"{shares.OF_EACH_LOADER} ({shares.ITEMS})", "", at_once=True), "cps"),
               "Rows per second": (Query(f"{shares.OF_EACH_LOADER} ({shares.ROWS})", "", at_once=True), "cps"),
               "Epoch": (Query(f"{shares.OF_EACH_LOADER} (sluice_run_epoch)", "", at_once=True), "none"),
               "Workers": (Query("sum by (job, instance, loader, rank) (sluice_op_workers)", "", at_once=True), "short")}),
    )


def processes() -> tuple[Panel, ...]:
    return (
        lines("Cores in use", "CPU time per second of each rank's process.", "short",
              Query(shares.CPU, "{{rank}} {{pid}} {{instance}}"), width=8),
        lines("Resident memory", "Of each rank's process.", "bytes",
              Query("sluice_process_resident_memory_bytes", "{{rank}} {{pid}} {{instance}}"), width=8),
        lines("Epoch", "Epoch that each rank is in, from 0.", "none", Query("sluice_run_epoch", legend()), width=8, steps=True),
    )


def board() -> Board:
    return Board("sluice-ranks", "Sluice: ranks", "Which of several ranks waits for its data most, and holds the others up.",
                 (Row("Who is held up", held_up()), Row("Rates", rates()), Row("Processes", processes())))
