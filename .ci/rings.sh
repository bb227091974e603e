# Shared by .ci/run and the long rings: a build with its tests under another preset.

# Labels (folders of tests/) of the short rings with their programs: AddressSanitizer for what meets foreign bytes,
# ThreadSanitizer for what has threads.
short_asan='^(base|formats|image|probes)$'
short_asan_targets='base_test formats_test image_tests image_conformity image_allocation_test probes_test'
short_tsan='^(probes|runtime|stress)$'
short_tsan_targets='probes_test runtime_test runtime_allocation_test pipeline_test stress_test'
# Minutes, for nothing new: of tests that take the same steps with one worker, a few and many, a few are enough.
long_tsan='MemoryBudgetTest.*\((1, 1|16, 64)\)'

need_ci_tools() { need_packages build ui test ci; }

# A run that hangs is left by _exit on the second Ctrl-C, threads and all; the tests of early stops count threads.
# The commands that `sluice wrap` starts may leave a core where the bare ones do.
asan_options=detect_stack_use_after_return=1:strict_string_checks=1:disable_coredump=0
tsan_options=halt_on_error=1:second_deadlock_stack=1:report_thread_leaks=0:disable_coredump=0

# ring PRESET TARGETS CTEST-OPTION...: builds and runs the tests of a preset.
ring() {
  preset=$1 targets=${2:-all}
  shift 2
  need_ci_tools
  need_promtool
  configure "$preset"
  # shellcheck disable=SC2086
  build "$preset" $targets
  ASAN_OPTIONS="$asan_options" \
    UBSAN_OPTIONS=print_stacktrace=1 \
    TSAN_OPTIONS="$tsan_options" \
    ctest --test-dir "$root/build/$preset" --output-on-failure --no-tests=error --no-label-summary \
    --parallel "${CTEST_PARALLEL_LEVEL:-2}" "$@"
}

# What ctest says last: from "NN% tests passed" on.
closing_lines() { sed -n '/% tests passed/,$p'; }
