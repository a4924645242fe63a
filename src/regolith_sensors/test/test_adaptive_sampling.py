# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of adaptive sampling: edges, borders of shadows and round bodies."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from regolith_sensors.camera.adaptive_sampling import edge_marks, edge_pixels
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.light import Sun
from regolith_sensors.rays.image import RenderedImage
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.scene.vehicle_mesh import vehicle_parts
from regolith_sensors.surfaces.materials import Lambert, Principled
from regolith_sensors.surfaces.meshes import box, corner_normals, cylinder, joined, wheel
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.running_gear_registry import load_visuals

CAMERA: dict[str, Any] = {
    'width': 160,
    'height': 120,
    'pixel_size_m': 1e-5,
    'focal_length_m': 1.2e-3,
    'f_number': 8.0,
    'exposure_s': 1e-3,
}


@pytest.fixture
def look(flat_scene: Callable[..., Scene]) -> Callable[..., RenderedImage]:
    """Return a renderer of a leaning plate in front of level ground, with its shadow beside it."""
    scene = flat_scene(Lambert((0.1,) * 3), (Lambert((0.5,) * 3),))
    plate = scene.add_object('plate', [(scene.add_mesh(box((0.01, 0.6, 0.8))), Semantic.OTHER)])
    scene.place(plate, 0, (4.0, 0.3, 1.0), (math.sin(0.1), 0.0, 0.0, math.cos(0.1)))
    scene.center((0.0, 0.0, 1.5))
    pose = CameraPose(np.array([0.0, 0.0, 1.5]), np.array([0.0, math.sin(0.1), 0.0, math.cos(0.1)]))

    def photograph(frame: int = 0, **changes: Any) -> RenderedImage:
        camera = Camera(CameraConfig.model_validate({**CAMERA, **changes}), 1, 'cam')
        return camera.expose(scene.commit(), scene.origin, lambda _: pose, Sun(2.6, 0.35), frame=frame)

    return photograph


def test_further_rays_halve_the_error_at_edges_and_shadow_borders(look: Callable[..., RenderedImage]) -> None:
    """Further rays at edges at least halve the error against 64 rays everywhere; other pixels do not change.

    In penumbrae the neighbors of these pixels also change: by a part of the sun, and toward the reference.
    """
    one, refined = look(edge_samples=0), look()
    pixels = np.zeros(one.depth.size, bool)
    pixels[edge_pixels(edge_marks(one))] = True
    assert 0.01 < pixels.mean() < 0.15
    truth = look(samples_per_pixel=64, sun_samples=4).radiance[..., 1].ravel()
    plain, smooth = (f.radiance[..., 1].ravel() for f in (one, refined))
    soft = ~pixels & (plain != smooth)
    assert soft.sum() < 0.2 * pixels.sum()
    assert np.sum((smooth[soft] - truth[soft]) ** 2) <= np.sum((plain[soft] - truth[soft]) ** 2)
    errors = [float(np.sqrt(np.mean((image[pixels] - truth[pixels]) ** 2))) for image in (plain, smooth)]
    # Four even samples of an edge: a quarter of the step size of one sample.
    assert errors[1] < 0.5 * errors[0]
    # Outside of the marks one ray is close to the reference: most of the error was at edges.
    assert np.sum((plain[~pixels] - truth[~pixels]) ** 2) < 0.1 * np.sum((plain[pixels] - truth[pixels]) ** 2)
    # The ground truth remains that of the pixel centers.
    np.testing.assert_array_equal(one.depth, refined.depth)
    np.testing.assert_array_equal(one.object_id, refined.object_id)


def test_refined_frames_are_bit_identical(look: Callable[..., RenderedImage], monkeypatch: pytest.MonkeyPatch) -> None:
    first = look(3).radiance.tobytes()
    assert look(3).radiance.tobytes() == first != look(4).radiance.tobytes()
    monkeypatch.setenv('REGOLITH_SENSOR_THREADS', '1')
    assert look(3).radiance.tobytes() == first


def test_corner_normals_smooth_rounded_bodies_and_keep_edges() -> None:
    body = joined([cylinder(0.5, 0.2, 48), box((1.0, 2.0, 3.0))])
    normals = corner_normals(body).reshape(-1, 3, 3)
    corners = body.vertices[body.triangles]
    side = slice(0, 48 * 4)
    of_cylinder, at = normals[side].reshape(-1, 3), corners[side].reshape(-1, 3)
    round_part = np.abs(of_cylinder[:, 2]) < 0.5
    outward = at[round_part, :2] / np.linalg.norm(at[round_part, :2], axis=1, keepdims=True)
    # A corner of a side belongs to two of its triangles and one of the next: off the mean by less than half a side.
    assert np.min(np.sum(of_cylinder[round_part, :2] * outward, axis=1)) > math.cos(math.radians(2.0))
    # Caps and boxes stay flat.
    assert np.all(np.abs(np.abs(of_cylinder[~round_part, 2]) - 1.0) < 1e-6)
    facets = np.cross(corners[48 * 4 :, 1] - corners[48 * 4 :, 0], corners[48 * 4 :, 2] - corners[48 * 4 :, 0])
    facets /= np.linalg.norm(facets, axis=1, keepdims=True)
    np.testing.assert_allclose(normals[48 * 4 :], np.repeat(facets[:, None], 3, axis=1), atol=1e-6)


@pytest.mark.parametrize('model', ['viper', 'viper_grousered'])
def test_wheel_mesh_has_grousers(model: str) -> None:
    part = next(p for p in vehicle_parts(load_visuals(*load_vehicle_model(model)), []) if p.name == 'front_left')
    # Around the axle (y): the plates reach the radius, the drum between them stays below it.
    away = np.hypot(part.mesh.vertices[:, 0], part.mesh.vertices[:, 2])
    assert away.max() == pytest.approx(0.25, abs=1e-4)
    outer = part.mesh.vertices[away > 0.249]
    turns = np.unique(np.round(np.degrees(np.arctan2(outer[:, 2], outer[:, 0])) / 15.0))
    assert len(np.unique(turns % 24)) == 24
    assert len(wheel(0.25, 0.15, (24, 0.012, 0.006)).triangles) == 96 * 4 + 24 * 12


def test_unpainted_parts_are_no_brighter_than_dusty_metal(tmp_path: Any) -> None:
    """MuJoCo's default gray for geoms without a color would be overexposed beside ground that reflects a tenth."""
    config, mjcf = load_vehicle_model('viper')
    text = mjcf.read_text().replace(' material="metal"', '').replace(' material="foil"', ' rgba="0.5 0.5 0.4 1"')
    bare = tmp_path / 'bare.xml'
    bare.write_text(text)
    materials: list[Any] = []
    vehicle_parts(load_visuals(config, bare), materials)
    colors = {m.color for m in materials if isinstance(m, Principled)}
    assert (0.14, 0.14, 0.14) in colors and (0.5, 0.5, 0.5) not in colors
    # A configured color is kept.
    assert any(c == pytest.approx((0.5, 0.5, 0.4)) for c in colors)


def test_crest_in_front_of_a_plain_is_an_edge() -> None:
    """Ground in front of other ground is an edge; evenly receding ground and pixels beside the sky are not."""
    ranges = np.tile(np.geomspace(40.0, 20.0, 12).astype(np.float32)[:, None], (1, 8))  # 6 % from row to row
    ranges[6:] *= np.float32(0.5)  # below row 6 a hill half as far
    shape = ranges.shape
    frame = SimpleNamespace(
        depth=ranges,
        range=ranges,
        instance=np.full(shape, 3, np.int32),
        normal=np.zeros((*shape, 3), np.float32),
        semantic=np.full(shape, Semantic.GROUND, np.uint8),
    )
    assert sorted(edge_pixels(edge_marks(frame)) // 8) == [5] * 8 + [6] * 8
