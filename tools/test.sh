#!/usr/bin/env bash
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
#
# All tests in the checkout's environment; --all adds the slow ones. Anything else is handed to pytest.
#
# Whole suites run in two processes, file by file: a test that starts real nodes leaves one of two cores idle for most of
# its time, while they start and while it waits. Then come those that hold something against wall time, one by one.
set -euo pipefail
cd "$(dirname "$0")/.."
. install/env.sh
select='not slow'
if [ "${1:-}" = --all ]; then select=''; shift; fi
# Message fields of a wrong Python type corrupt messages silently unless checked.
export ROS_PYTHON_CHECK_FIELDS=1
run() { python3 -m pytest -q "$@"; }
if [ $# -gt 0 ]; then run ${select:+-m "$select"} "$@"; exit; fi
code=0
run -m "not alone${select:+ and $select}" --numprocesses 2 --dist loadfile || code=$?
run -m "alone${select:+ and $select}" || code=$?
exit $code
