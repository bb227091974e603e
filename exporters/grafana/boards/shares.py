"""Expressions that several dashboards ask. Each holds for a run and for every loader of a wrapped one."""

STARVED = "rate(sluice_consumer_starved_seconds_total[$__rate_interval])"
BUSY = "rate(sluice_consumer_busy_seconds_total[$__rate_interval])"
# Of its time: while its clocks stand, as between two epochs, there is no share.
WAITING_SHARE = f"{STARVED} / (({STARVED} + {BUSY}) > 0)"
ROWS = "rate(sluice_consumer_rows_total[$__rate_interval])"
ITEMS = "rate(sluice_consumer_items_total[$__rate_interval])"

OP_BUSY_SHARE = "rate(sluice_op_busy_seconds_total[$__rate_interval]) / (sluice_op_workers > 0)"
OP_ITEMS = "rate(sluice_op_items_total[$__rate_interval])"
OP_FAILED = "rate(sluice_op_failed_rows_total[$__rate_interval])"

CONNECTOR_FILL = "sluice_connector_depth_items / (sluice_connector_capacity_items > 0)"
CONNECTOR_EMPTY = "rate(sluice_connector_empty_seconds_total[$__rate_interval])"
CONNECTOR_FULL = "rate(sluice_connector_full_seconds_total[$__rate_interval])"

CPU = "rate(sluice_process_cpu_seconds_total[$__rate_interval])"
THROTTLED = "rate(sluice_process_throttled_seconds_total[$__rate_interval])"
THROTTLED_SHARE = f"{THROTTLED} / (({THROTTLED} + {CPU}) > 0)"

# A table's rows are of one series each; the name of the metric would keep the columns apart.
OF_EACH_LOADER = "max by (job, instance, loader, rank)"
OF_EACH_KNOB = "max by (job, instance, loader, rank, knob)"


def decided(outcomes: str, window: str = "$__rate_interval") -> str:
    return f'increase(sluice_decisions_total{{outcome=~"{outcomes}"}}[{window}])'
