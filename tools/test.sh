#!/usr/bin/env bash
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
#
# Run all tests in the checkout's environment. --all adds the slow ones. --fast selects the packages' tests that
# start no ROS node and take at most about two seconds each. Other arguments are passed to pytest.
#
# Whole suites run file by file in two processes more than there are processors (at most eight). A test that
# starts real nodes leaves a processor idle for much of its time, while they start and while it waits. conftest.py
# distributes such files among the others. Tests that measure wall time run afterwards, one by one. This also applies
# whenever tests run in several processes (-n).
set -euo pipefail
cd "$(dirname "$0")/.."
. install/env.sh
processes=$(($(nproc) < 7 ? $(nproc) + 2 : 8))
select='not slow' several='' given=() paths=() fast=''
case "${1:-}" in
    --all) select=''; shift ;;
    --fast) fast=yes select='not slow and not ros and not seconds' several=$processes paths=(src examples test/test_architecture.py); shift ;;
esac
[ $# -gt 0 ] || several=$processes
while [ $# -gt 0 ]; do
    case "$1" in
        -m) select="${select:+$select and }($2)"; shift 2 ;;
        -n | --numprocesses) several=$2; shift 2 ;;
        *) given+=("$1"); shift ;;
    esac
done
# Otherwise each of the hundreds of processes that tests start compiles every module again.
unset PYTHONDONTWRITEBYTECODE
# Unless checked, message fields of a wrong Python type corrupt messages without an error.
export ROS_PYTHON_CHECK_FIELDS=1
run() { python3 -m pytest -q "$@" "${given[@]}" "${paths[@]}"; }
if [ -z "$several" ]; then run -m "$select"; exit; fi
together=0 alone=0
run -m "not alone${select:+ and $select}" --numprocesses "$several" --dist loadfile --no-loadscope-reorder || together=$?
if [ -z "$fast" ]; then
    # Only files with such tests, so that pytest does not import all others again.
    [ ${#given[@]} -gt 0 ] || mapfile -t paths < <(grep -rl --include='test_*.py' 'pytest\.mark\.alone' src test examples)
    run -m "alone${select:+ and $select}" || alone=$?
fi
# 5: no tests were selected.
if [ $together = 5 ]; then exit $alone; fi
if [ $alone = 5 ] || [ $together != 0 ]; then exit $together; fi
exit $alone
