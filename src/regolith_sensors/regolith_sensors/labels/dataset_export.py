# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Export of a run's images and boxes as a dataset for object detectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from regolith_files import BagReader, Run
from regolith_sensors.labels.dataset import CLASSES, DatasetWriter, LabeledBox
from regolith_sensors.labels.ground_truth import Box2D
from regolith_sensors.labels.ground_truth import boxes as object_boxes
from regolith_sensors.report.image_reader import frames, image_pixels
from regolith_terrain import new_folder
from regolith_world.random import generator

_BAYER = {
    'bayer_rggb16': cv2.COLOR_BayerRGGB2RGB,
    'bayer_bggr16': cv2.COLOR_BayerBGGR2RGB,
    'bayer_gbrg16': cv2.COLOR_BayerGBRG2RGB,
    'bayer_grbg16': cv2.COLOR_BayerGRBG2RGB,
}


def labeled_cameras(bag: BagReader) -> tuple[str, ...]:
    """Return the cameras (``/VEHICLE/SENSOR``) with images and boxes in a bag, in name order."""
    held = {name for name, topic in bag.topics.items() if topic.messages}
    found = (name.removesuffix('/boxes') for name in held if name.endswith('/boxes'))
    return tuple(sorted(camera for camera in found if f'{camera}/image_raw' in held))


def export_dataset(
    runs: Sequence[Run],
    out: Path,
    *,
    cameras: Sequence[str] = (),
    classes: Sequence[str] = CLASSES,
    bits: int = 8,
    least_pixels: int = 16,
    val_share: float = 0.2,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> dict[str, Any]:
    """Write images and boxes of runs in the layout of COCO and YOLO; an error leaves no files.

    Consecutive frames are so similar that training on one would spoil a test on the next. For a single run, the last
    frames of every camera are for validation. For several runs, whole runs are for validation; they are drawn at random
    but always the same.

    Args:
        runs: Runs with bags.
        out: New or empty folder.
        cameras: Selected cameras, e.g. ``/amber/navcam``; empty: all with images and boxes.
        classes: Selection of :data:`regolith_sensors.labels.dataset.CLASSES`.
        bits: Bits per channel of the PNG files: 8 (the upper byte) or 16.
        least_pixels: Minimum number of visible pixels of a labeled object.
        val_share: Share of the frames, or of the runs, for validation, 0 to 1.
        progress: Callback with the number of frames done and the total number of frames.

    Returns:
        Number of images and of boxes by class, for each split.

    Raises:
        ValueError: If there is nothing to export, or ``out`` is not empty.
        NoRecordingError: If there is no bag.
    """
    chosen = [_chosen(run, cameras) for run in runs]
    of = sum(run.bag.topics[f'{camera}/boxes'].messages for run, names in zip(runs, chosen) for camera in names)
    kept = _for_validation(len(runs), val_share)
    about = ', '.join(run.folder.resolve().name for run in runs[:3]) + (', …' if len(runs) > 3 else '')
    done = 0
    with new_folder(out) as made:
        writer = DatasetWriter(made, classes, least_pixels=least_pixels, description=f'runs {about}')
        for number, (run, names) in enumerate(zip(runs, chosen)):
            prefix = f'{run.folder.resolve().name}_' if len(runs) > 1 else ''
            for camera in names:
                total = run.bag.topics[f'{camera}/boxes'].messages
                if len(runs) == 1:
                    first = total - round(total * val_share)
                else:
                    first = 0 if number in kept else total
                for frame, (t_ns, picture, boxes, instances) in enumerate(_labeled(run.bag, camera, bits)):
                    writer.add(
                        f'{prefix}{camera.strip("/").replace("/", "_")}_{t_ns:014d}',
                        picture,
                        boxes,
                        'val' if frame >= first else 'train',
                        instances,
                    )
                    done += 1
                    progress(done, of)
        return writer.finish()


def _chosen(run: Run, cameras: Sequence[str]) -> tuple[str, ...]:
    """Return the cameras of a run to export."""
    known = labeled_cameras(run.bag)
    for camera in cameras:
        if camera not in known:
            allowed = ', '.join(known) or 'none here'
            raise ValueError(f'{run.folder}: {camera} has no images with boxes; allowed: {allowed}')
    if not known:
        allowed = 'a camera with outputs: [image, boxes]; image_8bit does not count'
        raise ValueError(f'{run.folder}: no camera has both images and boxes in the bag; allowed: {allowed}')
    return tuple(cameras) or known


def _for_validation(count: int, share: float) -> set[int]:
    """Return the numbers of the runs for validation: at least one if ``share`` is positive and there are several."""
    some = max(round(count * share), 1 if share > 0.0 and count > 1 else 0)
    return set(generator(0, 'dataset', 'validation', 0).permutation(count)[:some].tolist())


def _labeled(bag: BagReader, camera: str, bits: int) -> Iterator[tuple[int, Any, list[LabeledBox], Any]]:
    """Yield time [ns], image, boxes and instance image (None if missing) of a camera's frames."""
    topics = [f'{camera}/image_raw', f'{camera}/boxes']
    if f'{camera}/instance/image_raw' in bag.topics:
        topics.append(f'{camera}/instance/image_raw')
    for t_ns, (image, boxes, *instances) in frames(bag, topics):
        numbers = image_pixels(instances[0]) if instances else None
        yield t_ns, _picture(image, bits), labeled_boxes(boxes.detections, numbers), numbers


def _picture(message: Any, bits: int) -> NDArray[Any]:
    image = image_pixels(message)
    if message.encoding in _BAYER:
        image = cv2.cvtColor(image, _BAYER[message.encoding])
    return (image >> 8).astype(np.uint8) if bits == 8 and image.dtype.itemsize == 2 else image


def labeled_boxes(detections: Iterable[Any], instances: NDArray[Any] | None) -> list[LabeledBox]:
    """Return the bounding boxes of a vision_msgs/Detection2DArray.

    Args:
        detections: Detections of the message.
        instances: Instance image, shape (height, width). A detection is matched to the instance with the same box; two
            instances with equal boxes keep the order of their numbers. None: the number of pixels and the instance are
            unknown.
    """
    by_box: dict[tuple[int, int, int, int], list[Box2D]] = {}
    if instances is not None:
        for seen in object_boxes(instances, np.zeros(instances.shape, np.uint8), 1):
            by_box.setdefault((seen.left, seen.top, seen.right, seen.bottom), []).append(seen)
    labeled = []
    for detection in detections:
        center, box = detection.bbox.center.position, detection.bbox
        left, top = round(center.x - 0.5 * (box.size_x - 1.0)), round(center.y - 0.5 * (box.size_y - 1.0))
        corners = left, top, left + round(box.size_x) - 1, top + round(box.size_y) - 1
        around = by_box.get(corners)
        count, instance = (0, None) if not around else (around[0].pixels, around.pop(0).object_id)
        name = detection.results[0].hypothesis.class_id
        labeled.append(LabeledBox(name, *corners, count, instance, detection.id))
    return labeled
