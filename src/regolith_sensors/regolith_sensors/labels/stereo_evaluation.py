# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Depth errors of a run's stereo pairs: block matching compared with the recorded ground truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from regolith_files import Run
from regolith_sensors.camera.info import CameraInfo
from regolith_sensors.labels.stereo import MatcherConfig, depth_errors, rectified_truth, stereo_baseline, stereo_depth
from regolith_sensors.report.image_reader import frames, image_pixels

_TOPICS = (
    '{left}/image_raw',
    '{right}/image_raw',
    '{left}/depth/image_raw',
    '{left}/camera_info',
    '{right}/camera_info',
)


def stereo_pairs(scenario: Any) -> dict[str, tuple[str, str]]:
    """Return the (left, right) cameras (``/VEHICLE/SENSOR``) of a scenario's stereo pairs, by name of the right one."""
    return {
        f'/{vehicle}/{name}': (f'/{vehicle}/{sensor["stereo_with"]}', f'/{vehicle}/{name}')
        for vehicle, entry in sorted(scenario.vehicles.items())
        for name, sensor in sorted(entry.sensors.items())
        if sensor.get('stereo_with') is not None
    }


def run_depth_errors(
    run: Run,
    within: tuple[float, float] = (2.0, 8.0),
    matcher: MatcherConfig | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[dict[str, Any]]:
    """Return a row per stereo pair: :class:`regolith_sensors.labels.stereo.DepthErrors` over all its frames.

    Args:
        run: Run with a bag.
        within: Range of the true depths that count [m].
        matcher: Matcher settings; None: the defaults.
        progress: Callback with the number of frames done and the total number of frames.

    Raises:
        ValueError: If the run has no pair with recorded images, depth and camera_info.
        NoRecordingError: If there is no bag.
    """
    bag = run.bag
    pairs = stereo_pairs(run.scenario)
    topics = {name: [topic.format(left=l, right=r) for topic in _TOPICS] for name, (l, r) in pairs.items()}
    whole = [name for name in pairs if all(t in bag.topics and bag.topics[t].messages for t in topics[name])]
    if not whole:
        allowed = (
            'a stereo pair (stereo_with) with recorded images, left depth and camera_info; fix: set '
            'vehicles.VEHICLE.sensors.LEFT.outputs: [image, depth] and recording.sensors: true'
        )
        raise ValueError(f'{run.folder}: no stereo pair to evaluate; allowed: {allowed}')
    of = sum(bag.topics[topics[name][2]].messages for name in whole)
    rows, done = [], 0
    for name in whole:
        depths, truths = [], []
        baseline = focal = 0.0
        for _, (left, right, truth, left_info, right_info) in frames(bag, topics[name]):
            infos = camera_info(left_info), camera_info(right_info)
            baseline, focal = stereo_baseline(infos[1]), float(infos[1].p[0, 0])
            reach = (0.75 * within[0], 1.5 * within[1])
            depths.append(stereo_depth(image_pixels(left), image_pixels(right), *infos, reach, matcher))
            truths.append(rectified_truth(image_pixels(truth), infos[0]))
            done += 1
            progress(done, of)
        errors = depth_errors(np.array(depths), np.array(truths), within, baseline * focal)
        about = {'left': pairs[name][0], 'right': name, 'frames': len(depths), 'baseline_m': baseline}
        rows.append({**about, 'focal_length_px': focal, 'within_m': list(within), **asdict(errors)})
    return rows


def camera_info(message: Any) -> CameraInfo:
    """Return the contents of a sensor_msgs/CameraInfo."""
    k, r, p = (np.asarray(values, dtype=np.float64) for values in (message.k, message.r, message.p))
    return CameraInfo(
        int(message.width),
        int(message.height),
        message.distortion_model,
        np.asarray(message.d, dtype=np.float64),
        k.reshape(3, 3),
        r.reshape(3, 3),
        p.reshape(3, 4),
    )
