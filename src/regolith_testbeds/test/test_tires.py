# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tires on a rig, against tables of Project Chrono (see ``data/tires/README.md``) and against physical limits."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_files.problems import InputError
from regolith_testbeds.bench_motions import COLUMNS as MOTION_COLUMNS
from regolith_testbeds.bench_motions import BenchMotion, run_motion
from regolith_testbeds.experiments.tire_rig import Settings, run
from regolith_vehicles.tires import RollingTire, Tire, load_tire
from regolith_vehicles.tires.tire import TIRES as FILES

DATA = Path(__file__).parent / 'data' / 'tires'
TIRES = {'TMeasy': 'hmmwv_tmeasy', 'Fiala': 'hmmwv_fiala', 'Pac89': 'hmmwv_pac89', 'Pac02': 'hmmwv_pac02'}
FORCES = ('Fx', 'Fy', 'Mx', 'My', 'Mz')
STEP = 1e-3
"""Step size of the transients in the tables [s]."""
MASS = 6000.0 / 9.81
"""Mass that is pulled [kg]."""


def table(name: str, **where: str) -> dict[str, np.ndarray]:
    with (DATA / f'{name}.csv').open() as file:
        rows = [row for row in csv.DictReader(file) if all(row[key] == value for key, value in where.items())]
    assert rows
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0] if key not in ('model', 'case')}


@pytest.mark.parametrize('model', TIRES)
@pytest.mark.parametrize('name', ['longitudinal', 'lateral', 'combined', 'camber'])
def test_steady_forces_agree_with_the_reference(name: str, model: str) -> None:
    rows = table(f'tyre_{name}', model=model)
    found = load_tire(TIRES[model], 'reference').steady_state(
        load=rows['Fz_N'],
        slip=rows['kappa'],
        slip_angle=np.radians(rows['alpha_deg']),
        camber=np.radians(rows['gamma_deg']),
        speed=10.0,
        friction=rows['mu'],
    )
    for force in FORCES:
        given = rows[f'{force}_N' if force.startswith('F') else f'{force}_Nm']
        # Seven digits of the tables, nine of the parameters; slips are recomputed from rounded angles.
        assert np.abs(found[force] - given).max() < 1e-5 * rows['Fz_N'].min(), force


@pytest.mark.parametrize('model', TIRES)
def test_load_curves_agree_with_the_reference(model: str) -> None:
    rows = table('tyre_vertical', model=model)
    found = load_tire(TIRES[model], 'reference').vertical(
        height=rows['height_m'], speed_z=rows['vz_mps'], camber=np.radians(rows['gamma_deg'])
    )
    touching = rows['in_contact'] > 0
    assert touching.any() and not touching.all()
    assert found['depth'][touching] == pytest.approx(rows['depth_m'][touching], abs=1e-8)
    assert found['Fz'][touching] == pytest.approx(rows['Fz_N'][touching], rel=1e-6, abs=0.01)
    assert not found['Fz'][~touching].any()


STILL = BenchMotion('ramp', 0.0, 0.0, 0.0, 0.0, 0.2, 1.0, 0.0)
MOTIONS = {
    'step_alpha5_v10': STILL._replace(kind='step_slip_angle', speed=10.0, slip_angle=math.radians(5.0)),
    'step_alpha5_v05': STILL._replace(kind='step_slip_angle', speed=0.5, slip_angle=math.radians(5.0)),
    'stand_lat_sine': STILL._replace(kind='stand_lat_sine'),
    'ramp_v0_5_kappa05_alpha3': STILL._replace(slip=0.05, slip_angle=math.radians(3.0), acceleration=1.0),
    'pull_lat_1000': STILL._replace(kind='pull_lat', pull=1000.0),
    'pull_lat_6000': STILL._replace(kind='pull_lat', pull=6000.0),
    'pull_long_4000': STILL._replace(kind='pull_long', pull=4000.0),
}


@pytest.mark.parametrize('model', TIRES)
@pytest.mark.parametrize('case', ['step_alpha5_v10', 'step_alpha5_v05', 'stand_lat_sine', 'ramp_v0_5_kappa05_alpha3'])
def test_transients_agree_with_the_reference(case: str, model: str) -> None:
    rows = table('tyre_transient', model=model, case=case)
    at = np.rint(rows['t_s'] / STEP).astype(int)
    found = run_motion(load_tire(TIRES[model], 'reference').start(load=6000.0), MOTIONS[case], STEP, int(at.max()) + 1)
    # Of 6000 N: both sides use the same steps, with parameters of nine digits.
    for name, most in (('Fx_N', 0.1), ('Fy_N', 0.1), ('Mz_Nm', 0.05), ('vy_mps', 1e-5), ('y_m', 1e-5)):
        assert np.abs(found[at, MOTION_COLUMNS.index(name)] - rows[name]).max() < most, name


@pytest.mark.parametrize('model', TIRES)
@pytest.mark.parametrize('case', ['pull_lat_1000', 'pull_lat_6000', 'pull_long_4000'])
def test_pulled_masses_agree_with_the_reference(case: str, model: str) -> None:
    rows = table('tyre_transient', model=model, case=case)
    at = np.rint(rows['t_s'] / STEP).astype(int)
    tire = load_tire(TIRES[model], 'reference').start(load=6000.0)
    way = run_motion(tire, MOTIONS[case], STEP, int(at.max()) + 1)[:, MOTION_COLUMNS.index('y_m')]
    assert np.abs(way[at] - rows['y_m']).max() < 1e-4 * max(0.01, np.abs(rows['y_m']).max())


def pulled(tire: RollingTire, case: str, steps: int, slowly: bool = False) -> np.ndarray:
    """Return the displacement [m] after each step of a mass on a tire that does not turn, pulled for 1 s.

    With ``slowly`` the pull increases over that second.
    """
    _, side, pull = case.split('_')
    v, x, way = 0.0, 0.0, [0.0]
    for k in range(steps):
        across = side == 'lat'
        found = tire.step(STEP, 0.0 if across else v, v if across else 0.0, 0.0)
        share = (k * STEP if slowly else 1.0) if k * STEP < 1.0 - 1e-9 else 0.0
        force = found['Fy' if across else 'Fx'] + share * float(pull)
        v += STEP * force / MASS
        x += STEP * v
        way.append(x)
    return np.array(way)


def test_rig_moves_tire_over_time() -> None:
    given = {'tire': 'hmmwv_fiala', 'motion': 'ramp', 'slip': [-0.05], 'slip_angle_deg': [-3.0], 'duration_s': 0.5}
    made = run(Settings.model_validate(given), lambda done, total: None)
    column = dict(zip(made['columns'], np.array(made['rows']).T, strict=True))
    assert len(column['t_s']) == 501 and column['vx_mps'][-1] == pytest.approx(0.5)
    assert made['summary']['last_fx_n'] == column['Fx_N'][-1] < 0.0 < column['Fy_N'][-1]
    assert column['y_m'][-1] == pytest.approx(-0.125 * math.tan(math.radians(3.0)), rel=0.01)
    result = made['summary']
    assert (result['last_y_m'], result['last_fy_n'], result['last_mz_nm']) == tuple(
        column[key][-1] for key in ('y_m', 'Fy_N', 'Mz_Nm')
    )
    assert (result['greatest_fx_n'], result['greatest_fy_n']) == (
        np.abs(column['Fx_N']).max(),
        np.abs(column['Fy_N']).max(),
    )
    for wrong, message in (
        ({'load_n': [1.0, 2.0]}, "motion = 'ramp': does not apply to a grid of 2 rows; allowed: single values"),
        ({'step_s': 1e-6}, r'duration_s = 0\.5: has too many steps; allowed: up to 0\.1'),
        ({'motion': 'rump'}, 'ramp'),
        ({'tire': 'hmmwv_ring'}, "tire = 'hmmwv_ring': is of type ring, without curves of slip; allowed: the other"),
    ):
        with pytest.raises(ValidationError, match=message):
            Settings.model_validate({**given, **wrong})


# -- what is corrected relative to the reference
# -----------------------------------------------------------------------


@pytest.mark.parametrize('name', TIRES.values())
def test_steady_forces_differ_from_the_reference_only_where_it_errs(name: str) -> None:
    given = {'load': [2000.0, 6000.0, 12000.0], 'friction': 0.8}
    ours, theirs = load_tire(name), load_tire(name, 'reference')
    slips = np.linspace(-0.05, 0.05, 5)[:, None]
    # The reference divides by the speed plus 0.1 m/s, 1 % of it.
    scale = 1.01 if name == 'hmmwv_pac02' else 1.0
    along = ours.steady_state(slip=slips, **given)['Fx'], theirs.steady_state(slip=scale * slips, **given)['Fx']
    assert along[0] == pytest.approx(along[1], rel=1e-9, abs=1e-6)
    angles = np.radians(np.linspace(-4.0, 4.0, 5)[:, None])
    wider = np.arctan(scale * np.tan(angles))
    across = (ours.steady_state(slip_angle=angles, **given), theirs.steady_state(slip_angle=wider, **given))
    for force in ('Fy', 'Mz'):
        assert across[0][force] == pytest.approx(across[1][force], rel=1e-9, abs=1e-6)


@pytest.mark.parametrize('name', TIRES.values())
def test_tire_force_is_within_friction(name: str) -> None:
    slip, angle = np.meshgrid(np.linspace(-1.0, 1.0, 41), np.radians(np.linspace(-20.0, 20.0, 41)))
    for friction in (0.8, 0.4):
        tire = load_tire(name)
        given = {'load': 4000.0, 'friction': friction}
        found = tire.steady_state(slip=slip, slip_angle=angle, **given)
        along = np.abs(tire.steady_state(slip=np.linspace(-1.0, 1.0, 401), **given)['Fx']).max()
        across = np.abs(tire.steady_state(slip_angle=np.radians(np.linspace(-60.0, 60.0, 401)), **given)['Fy']).max()
        # TMeasy's force is an ellipse times a direction, Fiala's friction depends on both slips, Pacejka's lift lies
        # outside the ellipse: 3 % in all. A force that is independent of that of the other direction would be off by
        # 41 %.
        assert ((found['Fx'] / along) ** 2 + (found['Fy'] / across) ** 2).max() < 1.03**2


def test_fiala_does_not_jump_on_slippery_ground() -> None:
    slips = np.linspace(0.001, 0.1, 2000)
    given = {'load': 6000.0, 'slip': slips, 'friction': 0.4}
    ours = load_tire('hmmwv_fiala').steady_state(**given)['Fx']
    theirs = load_tire('hmmwv_fiala', 'reference').steady_state(**given)['Fx']
    slope = 193929.0 * (slips[1] - slips[0])
    assert np.abs(np.diff(ours)).max() < 1.01 * slope < 10.0 * slope < np.abs(np.diff(theirs)).max()


@pytest.mark.parametrize('name', TIRES.values())
def test_locked_wheel_is_held_against_its_motion(name: str) -> None:
    angle = math.radians(10.0)
    found = load_tire(name).steady_state(load=6000.0, slip=-1.0, slip_angle=angle)
    way = math.degrees(math.atan2(-found['Fy'], -found['Fx']))
    # The force of sliding rubber opposes the sliding; the longitudinal and lateral curves of the models differ a
    # little.
    assert way == pytest.approx(10.0, abs=7.0)


def test_magic_formula_decreases_beyond_its_peak() -> None:
    given = {'load': 6000.0, 'slip': np.array([0.3, 0.9])}
    peak, sliding = load_tire('hmmwv_pac02').steady_state(**given)['Fx']
    assert sliding < 0.97 * peak
    flat = load_tire('hmmwv_pac02', 'reference').steady_state(**given)['Fx']
    assert flat[0] == pytest.approx(flat[1], rel=1e-3)


@pytest.mark.parametrize('side', ['left', 'right'])
@pytest.mark.parametrize('measured', ['left', 'right'])
def test_pacejka_2002_tire_on_the_other_side_is_the_mirror_image(side: str, measured: str) -> None:
    """On the side of its measurement the coefficients hold as they are, for either side."""
    known = load_tire('hmmwv_pac02')
    tire = Tire(known.config.model_copy(update={'side': side, 'measured_side': measured}))
    draw = np.random.default_rng(1).uniform
    given = {'load': draw(4e3, 2e4, 40), 'slip': draw(-0.2, 0.2, 40)}
    angle, lean, mirror = (
        np.radians(draw(-12.0, 12.0, 40)),
        np.radians(draw(-6.0, 6.0, 40)),
        -1.0 if side != measured else 1.0,
    )
    expected = known.steady_state(slip_angle=angle, camber=lean, **given)
    found = tire.steady_state(slip_angle=mirror * angle, camber=mirror * lean, **given)
    signs = {'Fx': 1.0, 'Fy': mirror, 'Mx': mirror, 'My': 1.0, 'Mz': mirror}
    for force, sign in signs.items():
        # A mirrored coefficient is a change of sign, which does not round.
        assert found[force] == pytest.approx(sign * expected[force], rel=1e-12, abs=1e-9), force


def test_pacejka_2002_resists_rolling() -> None:
    found = load_tire('hmmwv_pac02').steady_state(load=6000.0, speed=[10.0, -10.0, 0.05])['My']
    assert found == pytest.approx([-0.008 * 6000.0 * 0.4699, 0.008 * 6000.0 * 0.4699, 0.0])


@pytest.mark.parametrize('name', TIRES.values())
def test_leaning_free_rolling_tire_is_not_braked(name: str) -> None:
    leaning = np.radians([-6.0, 0.0, 6.0])
    ours = load_tire(name).steady_state(load=6000.0, camber=leaning)['Fx']
    assert ours == pytest.approx(np.full(3, ours[1]), abs=25.0 if name == 'hmmwv_pac02' else 1e-9)
    theirs = load_tire(name, 'reference').steady_state(load=6000.0, camber=leaning)['Fx']
    assert (np.abs(theirs - theirs[1])[[0, 2]] > 300.0).all()


def test_leaning_tire_pushes_to_its_leaning_side() -> None:
    camber = np.radians([-5.0, 0.0, 5.0])
    push = load_tire('hmmwv_pac02').steady_state(load=20000.0, camber=camber)['Fy']
    assert push[0] > push[1] > push[2]
    unmoved = load_tire('hmmwv_pac02', 'reference').steady_state(load=20000.0, camber=camber)['Fy']
    assert np.ptp(unmoved) < 0.05 * np.ptp(push)


def test_leaning_tread_uses_the_first_slope_of_the_load_curve() -> None:
    """Of a load curve of three points, this is the first of its two slopes."""
    config = load_tire('hmmwv_tmeasy').config
    bent = config.model_copy(update={'load_curve': ((0.0, 0.0), (0.1, 2e4), (0.2, 8e4))})
    found = Tire(bent).steady_state(load=6000.0, camber=0.05)['Mx']
    assert found == pytest.approx(-(config.width_m**2) / 12.0 * 2e5 * 0.05)


def test_leaning_tire_penetration_is_in_its_plane() -> None:
    lean = math.radians(5.0)
    tire = load_tire('hmmwv_tmeasy')
    found = tire.vertical(height=0.46 * math.cos(lean), camber=lean)
    assert found['depth'] == pytest.approx(0.4699 - 0.46, abs=1e-12)


@pytest.mark.parametrize('name', TIRES.values())
def test_free_rolling_tire_has_no_slip(name: str) -> None:
    found = load_tire(name).steady_state(load=[2000.0, 8000.0], speed=[[0.2], [10.0], [-10.0]])
    # The curves of Pacejka do not pass through the origin.
    assert np.abs(found['Fx']).max() < (0.01 * 8000.0 if name == 'hmmwv_pac02' else 1e-6)


@pytest.mark.parametrize('name', TIRES.values())
def test_reverse_rolling_mirrors_forward_rolling(name: str) -> None:
    tire = load_tire(name)
    there = tire.steady_state(load=6000.0, slip=0.02, slip_angle=0.03, speed=5.0)
    # Speed and spin change sign; the slip angle does not, because the wheel then moves to the right.
    back = tire.steady_state(load=6000.0, slip=0.02, slip_angle=0.03, speed=-5.0)
    asymmetry = 300.0 if name == 'hmmwv_pac02' else 1e-6
    assert back['Fx'] == pytest.approx(-there['Fx'], abs=asymmetry)
    assert back['Fy'] == pytest.approx(-there['Fy'], abs=asymmetry)
    assert back['My'] == pytest.approx(-there['My'])


@pytest.mark.parametrize(('name', 'length'), [('hmmwv_tmeasy', 0.47), ('hmmwv_fiala', 0.47), ('hmmwv_pac89', 0.46)])
@pytest.mark.parametrize('speed', [4.0, 20.0])
def test_relaxation_lag_is_the_relaxation_length(name: str, length: float, speed: float) -> None:
    tire = load_tire(name)
    rolling = tire.start(load=6000.0)
    angle = math.radians(0.2)  # Where the curves are straight.
    spin = speed / rolling.rolling_radius
    lasting = float(tire.steady_state(load=6000.0, slip_angle=angle, speed=speed)['Fy'])
    step = 1e-4
    for k in range(2000):
        found = rolling.step(step, speed, speed * math.tan(angle), spin)['Fy']
        # The slope falls by less than 1 % up to this angle.
        assert found == pytest.approx(lasting * (1.0 - math.exp(-speed * k * step / length)), abs=0.01 * abs(lasting))


@pytest.mark.parametrize('name', TIRES.values())
@pytest.mark.parametrize('side', ['lat', 'long'])
def test_pulled_tire_does_not_creep(name: str, side: str) -> None:
    way = pulled(load_tire(name).start(load=6000.0), f'pull_{side}_1000', 12_000)
    # It deflects by force over stiffness, still oscillates a little, and returns completely.
    assert way[900:1000] == pytest.approx(np.full(100, 1000.0 / 1e5), abs=4e-4)
    assert np.abs(way[10_000:]).max() < 1e-6 and np.ptp(way[10_000:]) < 1e-9


@pytest.mark.parametrize(('behavior', 'stays'), [('regolith', True), ('reference', False)])
def test_shaken_tire_does_not_creep(behavior: str, stays: bool) -> None:
    """A parked car whose engine runs: pulled by half of the friction limit, varied by a fifth."""
    standing = load_tire('hmmwv_tmeasy', behavior).start(load=6000.0)
    v, x, way = 0.0, 0.0, []
    for k in range(20_000):
        pull = 2400.0 + 900.0 * math.sin(2.0 * math.pi * 10.0 * k * STEP)
        v += STEP * (standing.step(STEP, 0.0, v, 0.0)['Fy'] + pull) / MASS
        x += STEP * v
        way.append(x)
    drift = np.mean(way[-100:]) - np.mean(way[5000:5100])
    assert (abs(drift) < 1e-5) == stays and (drift > 0.01) != stays


@pytest.mark.parametrize('name', TIRES.values())
@pytest.mark.parametrize(('friction', 'pull', 'moves'), [(0.8, 4600, False), (0.8, 6000, True), (0.4, 3000, True)])
def test_tire_at_rest_slides_at_its_friction(name: str, friction: float, pull: int, moves: bool) -> None:
    standing = load_tire(name).start(load=6000.0, friction=friction)
    way = pulled(standing, f'pull_lat_{pull}', 1000, slowly=True)
    # Below the limit it deflects by force over stiffness and little more.
    assert (way[-1] > 1.2 * friction * 6000.0 / 1e5) == moves


@pytest.mark.parametrize('name', TIRES.values())
def test_sliding_tire_is_held_by_its_friction(name: str) -> None:
    way = pulled(load_tire(name).start(load=6000.0), 'pull_lat_6000', 500)
    assert np.diff(way[-100:], 2).mean() / STEP**2 == pytest.approx((6000.0 - 0.8 * 6000.0) / MASS, rel=0.01)


@pytest.mark.parametrize('name', TIRES.values())
def test_crawling_tire_is_as_stiff_as_rolling(name: str) -> None:
    tire = load_tire(name)
    for force, given in (('Fx', {'slip': 0.001}), ('Fy', {'slip_angle': 0.001})):
        fast, slow = (tire.steady_state(load=6000.0, speed=speed, **given)[force] for speed in (10.0, 0.3))
        shift = tire.steady_state(load=6000.0, speed=10.0)[force]
        assert slow == pytest.approx(fast - shift, rel=0.05)


def test_lifted_tire_resets_its_memory() -> None:
    rolling = load_tire('hmmwv_tmeasy').start(load=6000.0)
    rolling.step(STEP, 0.0, 0.1, 0.0)
    assert rolling.memory.any()
    rolling.load = 0.0
    assert not any(rolling.step(STEP, 1.0, 0.1, 0.0).values()) and not rolling.memory.any()


# -- files --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('old', 'new', 'message'),
    [
        ('radius_m: 0.47', 'radius_m: 50.0', 'radius_m = 50.0: is out of range; allowed: '),
        ('type: fiala', 'type: fialla', "type = 'fialla': is unknown; allowed: tmeasy, fiala, "),
        ('type: fiala', 'type: [fiala]', "type = ['fiala']: is unknown; allowed: tmeasy, fiala, "),
        ('npm: 1160000', 'npm: 9e300', 'stiffness_beyond_npm = 9e+300: is out of range; allowed: '),
        ('UMAX: 0.9835', '', 'UMAX: is missing; allowed: '),
        ('[[0, 0], ', '[[0.1, 0], ', 'load_curve = [[0.1, 0], [0.25, 145000]]: does not start at 0, 0; allowed: '),
        ('[[0, 0], ', '[[0, 5], ', 'does not start at 0, 0; allowed: '),
        ('0.25, 145000', '0.25, -1', 'does not ascend; allowed: '),
        ('[[0, 0], ', '[[0, 0], [0.25, 9], ', 'does not ascend; allowed: '),
        (
            'radius_m: 0.47',
            'bristle: {blend_mps: [2, 2]}\nradius_m: 0.47',
            'bristle.blend_mps = [2, 2]: does not ascend; ',
        ),
        ('sxs: [0.66667, ', 'sxs: [0.10811, ', 'sxs = (0.10811, 0.66667): is not above sxm; allowed: '),
        ('CSLIP', 'CSLOP', 'CSLOP = 193929: unknown key; allowed: '),
    ],
)
def test_invalid_file_is_refused_with_its_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    shipped = next(text for name in ('hmmwv_fiala', 'hmmwv_tmeasy') if old in (text := FILES.find(name).read_text()))
    file = tmp_path / 'mine.yaml'
    file.write_text(shipped.replace(old, new))
    with pytest.raises(InputError) as error:
        load_tire(file)
    assert f'{file}' in str(error.value) and message in str(error.value)


def test_unknown_tire_is_refused() -> None:
    with pytest.raises(InputError, match=r'no such tire .* \(did you mean hmmwv_fiala'):
        load_tire('hmmwv_fialla')
    with pytest.raises(InputError, match='is unknown; allowed: regolith, reference'):
        load_tire('hmmwv_fiala', 'chrono')


def test_overload_is_refused() -> None:
    with pytest.raises(ValueError, match='load of 1e\\+06 N exceeds the load capacity; allowed: up to 53140 N'):
        load_tire('hmmwv_pac89').steady_state(load=1e6)


# -- the rig ------------------------------------------------------------------------------------------------------------


def test_rig_summary_matches_the_tire() -> None:
    settings = Settings(tire='hmmwv_fiala', load_n=(4000.0, 6000.0), slip=(-0.1, 0.0, 0.1), slip_angle_deg=(0.0, 2.0))
    found = run(settings, lambda done, total: None)
    rows = [dict(zip(found['columns'], row, strict=True)) for row in found['rows']]
    assert len(rows) == 12 and set(found) == {'columns', 'rows', 'summary'}
    one = next(r for r in rows if (r['load_n'], r['slip'], r['slip_angle_deg']) == (6000.0, 0.1, 2.0))
    alone = load_tire('hmmwv_fiala').steady_state(load=6000.0, slip=0.1, slip_angle=math.radians(2.0))
    assert [one[k] for k in ('fx_n', 'fy_n', 'mz_nm')] == [alone[k] for k in ('Fx', 'Fy', 'Mz')]
    figures = {entry['load_n']: entry for entry in found['summary']}
    # The stiffness of Fiala is that of its file, and its peak the friction at the slip there.
    assert figures[6000.0]['slip_stiffness_n'] == pytest.approx(193929.0, rel=1e-6)
    assert figures[6000.0]['cornering_stiffness_npdeg'] == pytest.approx(50000.0 * math.pi / 180.0, rel=0.01)
    assert 0.9 * 0.9835 < figures[4000.0]['peak_fx_n'] / 4000.0 < 0.9835


@pytest.mark.parametrize(
    'given',
    [
        {'tire': 'hmmwv'},
        {'load_n': '0'},
        {'slip_angle_deg': 90.0},
        {'tire': 'hmmwv_pac89', 'load_n': 6e4},
        {'load_n': tuple(range(1, 1001)), 'slip': tuple(k / 1000 for k in range(1000))},
    ],
)
def test_rig_refuses_invalid_settings(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match='; allowed: '):
        Settings.model_validate(given)


@pytest.mark.parametrize(
    ('given', 'message'),
    [
        ({'load': 1e9}, 'load of 1e.09 N exceeds the load capacity; allowed: up to'),
        ({'load': math.nan}, 'load is nan'),
        ({'friction': 0.0}, 'friction is 0; allowed: above 0'),
        ({'slip': math.inf}, 'slip is inf; allowed: finite'),
        ({'slip_angle': 2.0}, 'slip_angle is 2; allowed: less than a right angle'),
    ],
)
def test_values_out_of_range_are_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_tire('hmmwv_tmeasy').steady_state(**{'load': 6000.0, **given})


def test_unknown_motion_is_refused() -> None:
    tire = load_tire('hmmwv_tmeasy')
    with pytest.raises(ValueError, match='load is nan'):
        tire.start(load=math.nan)
    with pytest.raises(ValueError, match='height is nan'):
        tire.vertical(height=math.nan)
    rolling = tire.start(load=6000.0)
    with pytest.raises(ValueError, match='dt is -1; allowed: at least 0'):
        rolling.step(-1.0, 10.0, 0.0, 20.0)
    with pytest.raises(ValueError, match='vx is nan'):
        rolling.step(1e-3, math.nan, 0.0, 20.0)
