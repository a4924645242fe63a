# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dataset of labeled images in one folder that both COCO and YOLO tools read.

Images: ``images/train/*.png`` and ``images/val/*.png``. YOLO: ``labels/train/*.txt``, ``labels/val/*.txt`` and
``data.yaml``. COCO: ``annotations/instances_train.json`` and ``instances_val.json``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml
from numpy.typing import NDArray

SPLITS = ('train', 'val')
CLASSES = ('rock', 'vehicle', 'wheel', 'other')
"""Classes of boxes; a dataset numbers its selection in this order."""


@dataclass(frozen=True)
class LabeledBox:
    """Bounding box of the visible part of an object; pixels count from 0 at the top left, both ends included."""

    class_name: str
    left: int
    top: int
    right: int
    bottom: int
    pixels: int = 0
    """Number of visible pixels; 0: unknown, and the area of the box is used."""
    instance: int | None = None
    """Number of the object in the instance image; None: unknown."""
    name: str = ''
    """Name of the object, e.g. ``rock_17``."""


class DatasetWriter:
    """Writer of a dataset: writes images one by one, and the annotations at the end.

    Args:
        folder: Existing, empty folder.
        classes: Selection of :data:`CLASSES`.
        least_pixels: Minimum number of visible pixels of a labeled object.
        description: Description of the dataset.
    """

    def __init__(
        self, folder: Path, classes: Sequence[str] = CLASSES, *, least_pixels: int = 16, description: str = ''
    ) -> None:
        unknown = sorted(set(classes) - set(CLASSES))
        if unknown or not classes:
            raise ValueError(f'classes {", ".join(unknown) or "()"}; allowed: some of {", ".join(CLASSES)}')
        self._folder = folder
        self.classes = tuple(name for name in CLASSES if name in classes)
        self._least_pixels = least_pixels
        self._description = description
        self._images: dict[str, list[dict[str, Any]]] = {split: [] for split in SPLITS}
        self._annotations: dict[str, list[dict[str, Any]]] = {split: [] for split in SPLITS}
        for kind in ('images', 'labels'):
            for split in SPLITS:
                (folder / kind / split).mkdir(parents=True)
        (folder / 'annotations').mkdir()

    def add(
        self,
        name: str,
        image: NDArray[Any],
        boxes: Sequence[LabeledBox],
        split: str = 'train',
        instances: NDArray[Any] | None = None,
    ) -> None:
        """Write an image and keep its boxes; an image without boxes shows background only.

        Args:
            name: File name without extension.
            image: Image, uint8 or uint16, shape (height, width) or (height, width, 3) in the order red, green, blue.
            boxes: Boxes of all classes; boxes of classes that are not selected are left out.
            split: One of :data:`SPLITS`.
            instances: Instance image for outlines, shape (height, width).

        Raises:
            OSError: If the image cannot be written.
        """
        height, width = image.shape[:2]
        path = self._folder / 'images' / split / f'{name}.png'
        ordered = image[:, :, ::-1] if image.ndim == 3 else image
        if not cv2.imwrite(str(path), np.ascontiguousarray(ordered)):
            raise OSError(f'{path}: cannot be written')
        number = 1 + sum(len(images) for images in self._images.values())
        self._images[split].append({'id': number, 'file_name': path.name, 'width': width, 'height': height})
        lines = []
        for box in boxes:
            area = box.pixels or (box.right - box.left + 1) * (box.bottom - box.top + 1)
            if box.class_name in self.classes and area >= self._least_pixels:
                self._annotate(box, area, number, split, instances)
                lines.append(_yolo_line(self.classes.index(box.class_name), box, width, height))
        (self._folder / 'labels' / split / f'{name}.txt').write_text(''.join(lines), encoding='utf-8')

    def _annotate(self, box: LabeledBox, area: int, image: int, split: str, instances: NDArray[Any] | None) -> None:
        outline = _outlines(instances, box) if instances is not None and box.instance is not None else []
        size = [box.right - box.left + 1, box.bottom - box.top + 1]
        self._annotations[split].append(
            {
                'id': 1 + sum(len(a) for a in self._annotations.values()),
                'image_id': image,
                'category_id': 1 + self.classes.index(box.class_name),
                'bbox': [box.left, box.top, *size],
                'area': area,
                'iscrowd': 0,
                'segmentation': outline,
                'name': box.name,
            }
        )

    def finish(self) -> dict[str, Any]:
        """Write the annotations; return the numbers of images and of boxes by class for each split."""
        categories = [{'id': k + 1, 'name': name, 'supercategory': ''} for k, name in enumerate(self.classes)]
        for split in SPLITS:
            content = {
                'info': {'description': self._description},
                'licenses': [],
                'images': self._images[split],
                'annotations': self._annotations[split],
                'categories': categories,
            }
            path = self._folder / 'annotations' / f'instances_{split}.json'
            path.write_text(json.dumps(content) + '\n', encoding='utf-8')
        # A relative path is resolved from the file's own folder.
        about = {**{split: f'images/{split}' for split in SPLITS}, 'names': dict(enumerate(self.classes))}
        (self._folder / 'data.yaml').write_text(yaml.safe_dump(about, sort_keys=False), encoding='utf-8')
        return {split: self._figures(split) for split in SPLITS}

    def _figures(self, split: str) -> dict[str, Any]:
        numbers = [a['category_id'] - 1 for a in self._annotations[split]]
        counts = np.bincount(numbers, minlength=len(self.classes)) if numbers else np.zeros(len(self.classes), int)
        return {'images': len(self._images[split]), 'boxes': dict(zip(self.classes, counts.tolist()))}


def _yolo_line(number: int, box: LabeledBox, width: int, height: int) -> str:
    """Return class, center and size of a box relative to the image size, measured at pixel edges."""
    across, down = box.right - box.left + 1, box.bottom - box.top + 1
    x, y = (box.left + 0.5 * across) / width, (box.top + 0.5 * down) / height
    return f'{number} {x:.6f} {y:.6f} {across / width:.6f} {down / height:.6f}\n'


def _outlines(instances: NDArray[Any], box: LabeledBox) -> list[list[float]]:
    """Return polygons around the pixels of an object, along pixel edges like the boxes; holes are filled."""
    rows, columns = slice(box.top, box.bottom + 1), slice(box.left, box.right + 1)
    mask = (instances[rows, columns] == box.instance).astype(np.uint8)
    # The mask is doubled and padded, so that contours through pixel centers lie on the edges of the original pixels.
    doubled = np.pad(mask.repeat(2, axis=0).repeat(2, axis=1), 1)
    found, _ = cv2.findContours(doubled, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    out = []
    for contour in found:
        # Of the doubled mask, 2 k + 1 is the first half of pixel k and 2 k + 2 the second: edges k and k + 1.
        points = contour[:, 0, :] // 2 + np.array([box.left, box.top])
        out.append([float(v) for v in points.ravel()])
    return [polygon for polygon in out if len(polygon) >= 6]
