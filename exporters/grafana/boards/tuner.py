"""What tuning changed, what became of it, and what the run gained."""
from boards import shares
from boards.frame import Board, Row
from boards.panels import WAITING, Panel, Query, bars, legend, lines, stat, states, table


def effect() -> tuple[Panel, ...]:
    return (
        lines("Batches of the consumer", "Items that it takes per second. The marks are decisions: a change that is kept shows here.",
              "cps", Query(shares.ITEMS, legend())),
        lines("Share of its time that the consumer waits", "What tuning is there to make small. The lines are at 5 % and 20 %.",
              "percentunit", Query(shares.WAITING_SHARE, legend()), limits=WAITING, most=1),
        lines("Predicted and measured", "Batches per second while a change is on trial: before it, what it was expected to give, and what "
              "the consumer gets.", "cps", Query("sluice_trial_before_items_per_second", legend("before")),
              Query("sluice_trial_predicted_items_per_second", legend("predicted")), Query(shares.ITEMS, legend("measured")), width=24,
              no_data="nothing was on trial in this time."),
    )


def knobs() -> tuple[Panel, ...]:
    return (
        lines("In force", "Workers of ops, items of connectors.", "short", Query("sluice_knob_value", legend("{{knob}}")), steps=True),
        lines("Asked for", "Where it differs from what is in force, the change is still to come.", "short",
              Query("sluice_knob_requested", legend("{{knob}}")), steps=True),
        table("Knobs", "What is in force now, and what is allowed. Pinned: tuning leaves it alone. By the run: a "
              "change could alter what is trained.", "short",
              {"In force": (Query(f"{shares.OF_EACH_KNOB} (sluice_knob_value)", "", at_once=True), "short"),
               "Asked for": (Query(f"{shares.OF_EACH_KNOB} (sluice_knob_requested)", "", at_once=True), "short"),
               "At least": (Query(f"{shares.OF_EACH_KNOB} (sluice_knob_min)", "", at_once=True), "short"),
               "At most": (Query(f"{shares.OF_EACH_KNOB} (sluice_knob_max)", "", at_once=True), "short"),
               "Pinned": (Query(f"{shares.OF_EACH_KNOB} (sluice_knob_pinned)", "", at_once=True), "bool_yes_no"),
               "By the run": (Query(f"{shares.OF_EACH_KNOB} (sluice_knob_held)", "", at_once=True), "bool_yes_no")}),
    )


def decisions() -> tuple[Panel, ...]:
    made, undone = shares.decided("kept|rolled_back", "$__range"), shares.decided("rolled_back", "$__range")
    return (
        stat("Changes kept or undone", "In the time that is shown.", "short", Query(f"sum({made})", "changes", at_once=True), 6),
        stat("Undone", "Share of these changes that did not pay and was taken back.", "percentunit",
             Query(f"sum({undone}) / (sum({made}) > 0)", "undone", at_once=True), 6, no_data="no change was kept or undone in this time."),
        stat("Since the last decision", "A run that has found its settings is left alone for longer and longer.", "s",
             Query("time() - sluice_last_decision_timestamp_seconds", legend()), 6, no_data="there was no decision."),
        stat("On trial", "Knobs whose last change is being measured.", "short", Query("sum(sluice_knob_on_trial)", "on trial"), 6),
        bars("Decisions by outcome", "Changes of knobs by what became of them: kept, rolled back, only advised, or rejected by the "
             "pipeline. One on trial is not counted yet.", "short", Query(f"sum by (outcome) ({shares.decided('.+')})", "{{outcome}}")),
        bars("Decisions by knob", "Changes that were kept or undone.", "short",
             Query(f"sum by (knob) ({shares.decided('kept|rolled_back')})", "{{knob}}")),
        states("Tuning", "What it does: tune, only advise, or nothing.", "bool_yes_no",
               Query("sluice_tuner_mode == 1", "{{sluice_tuner_mode}} {{instance}}"), width=24),
        states("Trials", "When the effect of a knob's change was being measured.", "bool_yes_no",
               Query("sluice_knob_on_trial", legend("{{knob}}")), width=24),
    )


def board() -> Board:
    return Board("sluice-tuner", "Sluice: tuning", "What was changed while the run went on, what became of it, and what it brought.",
                 (Row("What it brings", effect()), Row("Knobs", knobs()), Row("Decisions", decisions())))
