#!/usr/bin/env bash
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
#
# All tests in the checkout's environment; --all adds the slow ones. Anything else is handed to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
. install/env.sh
select='not slow'
if [ "${1:-}" = --all ]; then select=''; shift; fi
# Message fields of a wrong Python type corrupt messages silently unless checked.
export ROS_PYTHON_CHECK_FIELDS=1 ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
exec python3 -m pytest -q ${select:+-m "$select"} "$@"
