# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of datasets: both layouts agree with each other and with the images."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
import yaml

from regolith_sensors.labels import dataset_export
from regolith_sensors.labels.dataset import DatasetWriter, LabeledBox
from regolith_sensors.labels.ground_truth import boxes

NAMES = {2: 'rock', 3: 'vehicle', 4: 'wheel'}


def labeled_scene() -> tuple[np.ndarray, list[LabeledBox]]:
    """Return an instance image (an irregular rock, one cut by a pole, a dot) and its ground truth boxes."""
    numbers = np.ones((40, 60), np.uint16)
    rng = np.random.default_rng(5)
    cv2.circle(numbers, (20, 15), 9, 2, -1)
    numbers[10:14, 18:40][rng.random((4, 22)) < 0.5] = 2
    numbers[30:38, 40:60] = 3
    numbers[28:40, 48:50] = 1
    numbers[2, 2] = 4
    found = boxes(numbers, numbers.astype(np.uint8), 1)
    return numbers, [
        LabeledBox(NAMES[b.object_id], b.left, b.top, b.right, b.bottom, b.pixels, b.object_id) for b in found
    ]


def test_coco_and_yolo_labels_agree(tmp_path: Path) -> None:
    numbers, found = labeled_scene()
    image = np.arange(40 * 60, dtype=np.uint16).reshape(40, 60) * 20
    writer = DatasetWriter(tmp_path, least_pixels=4)
    writer.add('a', image, found, 'train', numbers)
    writer.add('b', np.stack([image >> 8] * 3, axis=2).astype(np.uint8), [], 'val')
    figures = writer.finish()
    assert figures == {
        'train': {'images': 1, 'boxes': {'rock': 1, 'vehicle': 1, 'wheel': 0, 'other': 0}},
        'val': {'images': 1, 'boxes': {'rock': 0, 'vehicle': 0, 'wheel': 0, 'other': 0}},
    }
    coco = json.loads((tmp_path / 'annotations' / 'instances_train.json').read_text())
    (listed,) = coco['images']
    assert (listed['width'], listed['height']) == (60, 40)
    names = {c['id']: c['name'] for c in coco['categories']}
    yolo = yaml.safe_load((tmp_path / 'data.yaml').read_text())
    lines = (tmp_path / yolo['train'].replace('images', 'labels') / 'a.txt').read_text().splitlines()
    assert len(lines) == len(coco['annotations']) == 2
    for line, annotation, box in zip(lines, coco['annotations'], found):
        number, x, y, w, h = (float(v) for v in line.split())
        assert yolo['names'][int(number)] == names[annotation['category_id']] == box.class_name
        # The same edges in pixels, to the six digits of the text.
        np.testing.assert_allclose([(x - w / 2) * 60, (y - h / 2) * 40, w * 60, h * 40], annotation['bbox'], atol=1e-4)
        seen = np.argwhere(numbers == box.instance)
        assert annotation['bbox'] == [seen[:, 1].min(), seen[:, 0].min(), *np.ptp(seen[:, ::-1], axis=0) + 1]
        assert annotation['area'] == len(seen)
    back = cv2.imread(str(tmp_path / 'images' / 'train' / 'a.png'), cv2.IMREAD_UNCHANGED)
    np.testing.assert_array_equal(back, image)
    assert (tmp_path / 'labels' / 'val' / 'b.txt').read_text() == ''


@pytest.mark.parametrize(('pixels', 'area'), [(0, 12), (7, 7)])
@pytest.mark.parametrize('least', [6, 7, 8, 12, 13])
def test_box_is_counted_by_pixels_or_by_area(tmp_path: Path, pixels: int, area: int, least: int) -> None:
    """Both ends belong to a box: 4 columns by 3 rows. A label needs at least the minimum number, in both layouts."""
    writer = DatasetWriter(tmp_path, least_pixels=least)
    writer.add('a', np.zeros((40, 60), np.uint8), [LabeledBox('rock', 5, 7, 8, 9, pixels)])
    there = int(area >= least)
    assert writer.finish()['train']['boxes']['rock'] == there
    coco = json.loads((tmp_path / 'annotations' / 'instances_train.json').read_text())
    assert [(a['bbox'], a['area'], a['segmentation']) for a in coco['annotations']] == [
        ([5, 7, 4, 3], area, [])
    ] * there
    lines = (tmp_path / 'labels' / 'train' / 'a.txt').read_text().splitlines()
    assert lines == [f'0 {7 / 60:.6f} {8.5 / 40:.6f} {4 / 60:.6f} {3 / 40:.6f}'] * there


def test_outlines_enclose_the_pixels(tmp_path: Path) -> None:
    numbers, found = labeled_scene()
    writer = DatasetWriter(tmp_path, ['vehicle', 'rock'], least_pixels=4)
    writer.add('a', numbers, found, 'train', numbers)
    writer.finish()
    coco = json.loads((tmp_path / 'annotations' / 'instances_train.json').read_text())
    rows, columns = np.indices(numbers.shape)
    for annotation, box in zip(coco['annotations'], found):
        inside = np.zeros(numbers.shape, bool)
        for polygon in annotation['segmentation']:
            edges = np.array(polygon, np.float32).reshape(-1, 1, 2)
            inside |= np.array(
                [
                    cv2.pointPolygonTest(edges, (float(c) + 0.5, float(r) + 0.5), False) > 0
                    for r, c in zip(rows.ravel(), columns.ravel())
                ]
            ).reshape(numbers.shape)
        mask = (numbers == box.instance).astype(np.uint8)
        filled = np.zeros_like(mask)
        cv2.drawContours(filled, cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0], -1, (1,), -1)
        # The center of every pixel of the object, and of no other; holes are filled.
        np.testing.assert_array_equal(inside, filled.astype(bool), err_msg=box.class_name)
    assert len(coco['annotations'][1]['segmentation']) == 2, 'the pole cuts the vehicle in two'


def test_categories_are_numbered_among_the_classes_chosen(tmp_path: Path) -> None:
    """In both layouts, from 1 in COCO and from 0 in YOLO."""
    writer = DatasetWriter(tmp_path, ['wheel', 'rock'], least_pixels=1)
    image = np.zeros((40, 60), np.uint8)
    writer.add('a', image, [LabeledBox(name, 5, 7, 8, 9, 12) for name in ('rock', 'vehicle', 'wheel')], 'train')
    assert writer.finish()['train']['boxes'] == {'wheel': 1, 'rock': 1}
    coco = json.loads((tmp_path / 'annotations' / 'instances_train.json').read_text())
    assert [(c['id'], c['name']) for c in coco['categories']] == [(1, 'rock'), (2, 'wheel')]
    assert [a['category_id'] for a in coco['annotations']] == [1, 2]
    lines = (tmp_path / 'labels' / 'train' / 'a.txt').read_text().splitlines()
    assert [line.split()[0] for line in lines] == ['0', '1']


def test_unknown_classes_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='classes boulder; allowed: some of rock, vehicle, wheel, other'):
        DatasetWriter(tmp_path, ['boulder'])
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ('total', 'share', 'last'), [(10, 0.2, 2), (6, 0.2, 1), (10, 0.0, 0), (10, 1.0, 10), (20, 0.3, 6)]
)
def test_last_frames_of_a_run_are_for_validation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, total: int, share: float, last: int
) -> None:
    """As many as the share of them, where that is a whole number exactly so many."""
    frames = [(k, np.zeros((4, 6), np.uint8), [], None) for k in range(total)]
    monkeypatch.setattr(dataset_export, 'labeled_cameras', lambda bag: ('/a/eye',))
    monkeypatch.setattr(dataset_export, '_labeled', lambda bag, camera, bits: iter(frames))
    bag = SimpleNamespace(topics={'/a/eye/boxes': SimpleNamespace(messages=total)})
    run = SimpleNamespace(bag=bag, folder=tmp_path / 'run')
    found = dataset_export.export_dataset([run], tmp_path / 'set', val_share=share)
    assert (found['train']['images'], found['val']['images']) == (total - last, last)
    kept = sorted(path.stem for path in (tmp_path / 'set' / 'images' / 'val').iterdir())
    assert kept == [f'a_eye_{k:014d}' for k in range(total - last, total)]
