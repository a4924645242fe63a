# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of wheel shapes, soils by region and bulldozing on a whole vehicle."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from regolith_files.problems import InputError
from regolith_terrain import contact
from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.soil_map import Region, SoilMap
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.scm.settings import BulldozingConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.contact.wheel_shapes import axle_frame, wheel_shape
from regolith_vehicles.description.mesh_files import load_triangles
from regolith_vehicles.description.model_config import WheelConfig
from regolith_vehicles.description.model_files import VehicleModelError, load_vehicle_model
from regolith_vehicles.description.tool_config import ToolConfig
from regolith_vehicles.dynamics.kinematics import wheel_commands
from regolith_vehicles.tools.tool_shapes import tool_shape

CYCLE_NS = 20_000_000


def drive(vehicle: Vehicle, cycles: int, speed: float = 0.2) -> None:
    speeds, angles = wheel_commands(vehicle.body.layout, speed, 0.0)
    for _ in range(cycles):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, speeds, angles))
        vehicle.commit()


def write_drum(path: Path, radius: float, width: float, count: int) -> None:
    """Write a closed drum about y as OBJ."""
    lines = []
    for side in (-0.5, 0.5):
        for k in range(count):
            a = 2.0 * math.pi * k / count
            lines.append(f'v {radius * math.cos(a):.9f} {side * width:.9f} {radius * math.sin(a):.9f}')
    lines += [f'v 0 {-0.5 * width:.9f} 0', f'v 0 {0.5 * width:.9f} 0']
    for k in range(count):
        a, b = k + 1, (k + 1) % count + 1
        c, d = a + count, b + count
        lines += [f'f {a} {c} {b}', f'f {b} {c} {d}', f'f {2 * count + 1} {a} {b}', f'f {2 * count + 2} {d} {c}']
    path.write_text('\n'.join(lines) + '\n')


def model_with(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Copy the files of VIPER with smooth wheels and change each wheel."""
    source = Path(str(load_vehicle_model('viper')[1])).parent
    (tmp_path / 'viper.xml').write_text((source / 'viper.xml').read_text())
    values = yaml.safe_load((source / 'viper.yaml').read_text())
    for wheel in values['wheels']:
        del wheel['grousers']
        change(wheel)
    path = tmp_path / 'mine.yaml'
    path.write_text(yaml.safe_dump(values))
    return path


def vehicle_of(path: Path | str, **options: Any) -> Vehicle:
    config, mjcf = load_vehicle_model(path)
    soil = options.pop('soil', load_soil('chrono_lunar'))
    vehicle = Vehicle('rover', config, mjcf, SoilGrid(FlatField(), 0.02), soil, 1.62, **options)
    vehicle.place(0.0, 0.0, 0.0)
    return vehicle


def test_drum_mesh_drives_like_the_cylinder(tmp_path: Path) -> None:
    write_drum(tmp_path / 'drum.obj', 0.25, 0.30, 360)
    path = model_with(tmp_path, lambda wheel: wheel.update(mesh='drum.obj'))
    places = []
    for model in (path, 'viper'):
        vehicle = vehicle_of(model)
        drive(vehicle, 150)
        places.append(vehicle.body_state().position)
    # 360 facets dip 10 um into a rut of 13 mm.
    assert np.allclose(places[0], places[1], atol=2e-3)
    assert places[0][0] > 0.5


def test_mesh_is_read_in_the_files_frame(tmp_path: Path) -> None:
    """MuJoCo centers and rotates meshes; an asymmetric one must be read as written."""
    corners = np.array([[0.1, 0.2, 0.3], [0.5, 0.2, 0.3], [0.1, 0.9, 0.3], [0.1, 0.2, 0.5]])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = [f'v {x:.9f} {y:.9f} {z:.9f}' for x, y, z in corners] + [f'f {a + 1} {b + 1} {c + 1}' for a, b, c in faces]
    (tmp_path / 'wedge.obj').write_text('\n'.join(lines) + '\n')
    found = load_triangles(tmp_path / 'wedge.obj', 0.5)
    expected = 0.5 * corners[np.array(faces)]
    assert sorted(map(str, found.reshape(-1, 9).round(6) + 0.0)) == sorted(
        map(str, expected.reshape(-1, 9).round(6) + 0.0)
    )


def ascii_text(triangles: np.ndarray) -> str:
    facets = [
        'facet normal 0 0 0\n outer loop\n'
        + ''.join(f'  vertex {x!r} {y!r} {z!r}\n' for x, y, z in corners.tolist())
        + ' endloop\nendfacet\n'
        for corners in triangles
    ]
    return f'solid part of a test\n{"".join(facets)}endsolid part\n'


def test_ascii_stl_equals_binary_stl(tmp_path: Path) -> None:
    write_drum(tmp_path / 'drum.obj', 0.25, 0.30, 24)
    triangles = load_triangles(tmp_path / 'drum.obj').astype(np.float32)
    (tmp_path / 'text.stl').write_text(ascii_text(triangles))
    record = np.zeros(len(triangles), dtype=[('normal', '<f4', 3), ('corners', '<f4', (3, 3)), ('more', '<u2')])
    record['corners'] = triangles
    # Exporters also begin binary files with this word.
    head = b'solid binary'.ljust(80) + len(triangles).to_bytes(4, 'little')
    (tmp_path / 'binary.STL').write_bytes(head + record.tobytes())
    text, binary = (load_triangles(tmp_path / name, 0.5) for name in ('text.stl', 'binary.STL'))
    assert np.array_equal(text, 0.5 * triangles.astype(np.float64))

    def ordered(some: np.ndarray) -> np.ndarray:
        return np.sort(some.reshape(-1, 9).round(6) + 0.0, axis=0)

    # MuJoCo keeps single precision, and rotates the mesh and back.
    np.testing.assert_allclose(ordered(text), ordered(binary), atol=2e-6)


@pytest.mark.parametrize(
    ('broken', 'words'),
    [
        ('solid a\nfacet normal 0 0 1\n vertex 0 0\nendfacet\nendsolid a\n', r'a\.stl:3: is not a vertex'),
        ('solid a\nfacet normal 0 0 1\n vertex 0 0 nan\nendfacet\n', r'a\.stl:3: is not a vertex'),
        ('solid a\nfacet normal 0 0 1\n vertex 0 0 1\n vertex 0 1 1\nendfacet\n', '2 vertices in 1 facet of'),
        ('solid a\nendsolid a\n', '0 vertices in 0 facets'),
    ],
)
def test_invalid_ascii_stl_is_refused_with_reason(tmp_path: Path, broken: str, words: str) -> None:
    (tmp_path / 'a.stl').write_text(broken)
    with pytest.raises(ValueError, match=words):
        load_triangles(tmp_path / 'a.stl')


def test_wheel_mesh_in_millimeters_is_refused(tmp_path: Path) -> None:
    write_drum(tmp_path / 'drum.obj', 250.0, 300.0, 36)
    with pytest.raises(VehicleModelError, match='fix: set mesh_scale'):
        vehicle_of(model_with(tmp_path, lambda wheel: wheel.update(mesh='drum.obj')))
    vehicle_of(model_with(tmp_path, lambda wheel: wheel.update(mesh='drum.obj', mesh_scale=0.001)))


def test_tool_mesh_in_millimeters_is_refused(tmp_path: Path) -> None:
    write_drum(tmp_path / 'drum.obj', 250.0, 300.0, 36)
    config = {'kind': 'drum', 'body': 'arm', 'payload': 'soil', 'joint': 'turn', 'mesh': 'drum.obj'}
    with pytest.raises(ValueError, match=r'has a mesh that is 500 m wide; allowed: up to 20 m; fix: set mesh_scale'):
        tool_shape(ToolConfig.model_validate(config), tmp_path)
    made = tool_shape(ToolConfig.model_validate({**config, 'mesh_scale': 0.001}), tmp_path)
    assert (made.width, made.radius) == pytest.approx((0.3, 0.25), abs=1e-5)


def test_axle_frame_turns_y_onto_the_axle() -> None:
    for axis in ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.3, -0.5, 0.2)):
        frame = axle_frame(np.array(axis))
        assert np.allclose(frame[:, 1], np.array(axis) / np.linalg.norm(axis))
        assert np.allclose(frame @ frame.T, np.eye(3)) and np.linalg.det(frame) == pytest.approx(1.0)


def test_unusable_wheels_are_named(tmp_path: Path) -> None:
    with pytest.raises(VehicleModelError, match=r'nothing\.obj: no such mesh file'):
        vehicle_of(model_with(tmp_path, lambda wheel: wheel.update(mesh='nothing.obj')))
    with pytest.raises(InputError, match=r'wheels\.0\.grousers\.height_m = 0\.3: is not below radius_m'):
        load_vehicle_model(
            model_with(tmp_path, lambda w: w.update(grousers={'count': 9, 'height_m': 0.3, 'thickness_m': 0.01}))
        )
    with pytest.raises(InputError, match=r'mesh = .*: excludes grousers'):
        load_vehicle_model(
            model_with(
                tmp_path,
                lambda w: w.update(mesh='a.obj', grousers={'count': 9, 'height_m': 0.01, 'thickness_m': 0.01}),
            )
        )


def test_rover_sinks_deeper_in_softer_soil() -> None:
    soft = load_soil('chrono_lunar').model_copy(update={'k_phi': 2e5})
    soils = np.array([load_soil('chrono_lunar').parameters(), soft.parameters()])
    left = Region(np.array([[-5.0, 0.0], [5.0, 0.0], [5.0, 5.0], [-5.0, 5.0]]), 0.0)
    vehicle = vehicle_of('viper', soil=SoilMap(soils, [left]))
    drive(vehicle, 50, 0.0)
    sinkage = {state.name: state.sinkage_total for state in vehicle.wheel_states()}
    assert sinkage['front_left'] > 1.5 * sinkage['front_right'] > 0.0


def test_bulldozing_conserves_mass_and_is_replayable() -> None:
    rules = BulldozingConfig(enabled=True, flow_factor=1.0).parameters()
    vehicle = vehicle_of('viper', displacement=rules)
    drive(vehicle, 60)
    records = vehicle.grid.all_records()
    plastic = records.sinkage_plastic.sum()
    assert records.level.max() > 1e-3  # Berms above the plain.
    assert records.level_initial.sum() == pytest.approx(plastic, rel=0.01)
    # What some columns gain others lose, to the last bit, after a thousand substeps and fifty merges.
    assert vehicle.grid.moved_mass() == 0.0 and records.mass_kgpm2.max() > 1.0 and records.mass_kgpm2.min() < -1.0
    assert vehicle.grid.soil_hash() == vehicle.grid.recomputed_hash()
    before, saved = vehicle.state(), vehicle.grid.save()
    drive(vehicle, 10)
    after, ground = vehicle.state(), vehicle.grid.soil_hash()
    vehicle.grid.load(saved)
    vehicle.restore(before)
    drive(vehicle, 10)
    assert vehicle.state() == after and vehicle.grid.soil_hash() == ground


def test_shapes_bundle_keeps_meshes_apart() -> None:
    triangle = np.array([[[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]]])
    both = contact.join_shapes([contact.mesh(triangle), contact.cylinder(0.2, 0.1), contact.mesh(triangle + 1.0)])
    assert both.clusters.tolist() == [[0, 1], [1, 1], [1, 2]]
    assert np.array_equal(both.corners[both.triangles[1, 0]], (triangle[0] + 1.0).reshape(-1))


def test_grousers_are_cylinder_or_individual_plates() -> None:
    """A cylinder around their tips that includes the plates, or each plate, as in the file."""
    plates = {'count': 20, 'height_m': 0.015, 'thickness_m': 0.006}
    rim = {'name': 'w', 'body': 'w', 'joint': 'w', 'actuator': 'w', 'radius_m': 0.215, 'width_m': 0.15}
    smooth = WheelConfig.model_validate({**rim, 'grousers': plates})
    shape = wheel_shape(smooth, Path())
    assert shape.kind.tolist() == contact.cylinder(1.0, 1.0).kind.tolist() and shape.size[0].tolist() == [
        0.215,
        0.075,
        20.0,
        0.015,
        0.006,
        0.0,
        0.0,
    ]
    felt = wheel_shape(WheelConfig.model_validate({**rim, 'grousers': {**plates, 'individual_contact': True}}), Path())
    assert felt.kind.tolist() == contact.grousered_wheel(1.0, 1.0, 4, 0.1, 0.1).kind.tolist()
    with pytest.raises(ValueError, match=r'grousers\.height_m: is not below radius_m'):
        WheelConfig.model_validate({**rim, 'grousers': {**plates, 'height_m': 0.3, 'individual_contact': False}})
