#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw the plots of docs/concepts/simulation_loop.md from runs: attempts, thrown ball, ropes, tow and lander."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_world.config import WorldConfig
from regolith_world.cycle.records import Vector
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.constraints import Constraint
from regolith_world.objects.linkages.linkage import Linkage
from regolith_world.objects.object import Object
from regolith_world.objects.object_types import make_objects
from regolith_world.world import World

matplotlib.rcParams.update({'font.size': 10, 'axes.spines.top': False, 'axes.spines.right': False})
FOLDER = Path(__file__).resolve().parent.parent / 'docs' / 'images'
INK, BLUE, RED, SAND, GREEN = '#22262b', '#3b6ea5', '#b5483a', '#c9b48a', '#5b8c5a'
WALL = {'type': 'static_body', 'position': [1.5, 0.0, 0.0], 'shapes': [{'kind': 'box', 'size_m': [0.5, 2.0, 2.0]}]}
THING = {
    'type': 'rigid_body',
    'position': [0.69, 0.0, 0.0],
    'mass_kg': 1.0,
    'velocity_mps': [2.0, 0.0, 0.0],
    'restitution': 0.9,
}


def attempts_at(**thing: object) -> list[tuple[float, float, bool]]:
    """Return start, length [ms] and commit flag of every attempt, until an object has left a wall."""
    world = World(WorldConfig(gravity_mps2=0.0), make_objects({'wall': WALL, 'thing': {**THING, **thing}}, 0.0))
    tried: list[tuple[float, float]] = []
    find = world._encounters.find

    def noting(objects: dict[str, Object], cycle: object) -> object:
        if cycle.dt_ns:  # type: ignore[attr-defined]
            tried.append((cycle.t_ns * 1e-6, cycle.dt_ns * 1e-6))  # type: ignore[attr-defined]
        return find(objects, cycle)  # type: ignore[arg-type]

    world._encounters.find = noting  # type: ignore[method-assign, assignment]
    while world.t_ns < 200_000_000:
        world.step()
    return [(t, dt, k + 1 == len(tried) or tried[k + 1][0] > t) for k, (t, dt) in enumerate(tried)]


def draw_attempts(axes: Axes, attempts: list[tuple[float, float, bool]], title: str) -> None:
    """Draw committed cycles as bars in a row, and the discarded attempts of each below it."""
    row, last = 0, -1.0
    for t, dt, committed in attempts:
        row, last = (row + 1 if t == last else 1), t
        axes.barh(0 if committed else -row, dt, left=t, height=0.7, color=BLUE if committed else RED, ec='white')
    axes.set(yticks=[0, -1], yticklabels=['committed', 'discarded'], ylim=(-3.0, 0.7), xlim=(0.0, 200.0))
    axes.set_title(title, fontsize=10)
    axes.set_xlabel('simulated time [ms]')


def draw_cycle() -> None:
    """Draw two cycles that end at an impact: one predicted, one found by discarded attempts."""
    figure = Figure(figsize=(9.0, 3.6), layout='constrained')
    above, below = figure.subplots(2, 1, sharex=True)
    ball = attempts_at(shape={'kind': 'sphere', 'size_m': [0.1]})
    box = attempts_at(shape={'kind': 'box', 'size_m': [0.14, 0.1, 0.05]}, angular_velocity_radps=[4.0, 15.0, 0.0])
    draw_attempts(above, ball, 'A ball hits a wall: predicted, the cycle ends at the impact')
    draw_attempts(below, box, 'A tumbling box: the time of impact is found by discarded attempts')
    above.set_xlabel('')
    figure.savefig(FOLDER / 'evolution_cycle.png', dpi=110)


def simulated(name: str) -> Simulation:
    """Return the simulation of a shipped scenario at its start."""
    return Simulation(load_scenario(name).scenario)


def draw_robot() -> None:
    """Draw the paths of robot and ball, the range of the lidar, and the lengths of cycles."""
    run = simulated('ball_throwing_robot')
    times, steps, ranges, robots, balls, blows = [], [], [], [], [], []
    robot = run.world.objects['robot']
    while run.world.t_ns < 8_000_000_000:
        report = run.world.step(8_000_000_000)
        times.append(report.t_ns * 1e-9)
        steps.append(report.dt_ns * 1e-6)
        ranges.append(robot.lidar.range)  # type: ignore[attr-defined]
        robots.append(robot.body.position.copy())
        ball = run.world.objects.get('robot/0')
        balls.append(np.full(3, np.nan) if ball is None else ball.body.position.copy())
        blows += [report.t_ns * 1e-9] if any('robot/0' in (i.a, i.b) for i in report.impulses) else []
    thrown = robot.thrown_at_ns * 1e-9  # type: ignore[attr-defined]
    way, path = np.array(robots), np.array(balls)
    figure = Figure(figsize=(9.0, 6.2), layout='constrained')
    scene, seen, lengths = figure.subplots(3, 1, height_ratios=(2.2, 1.0, 1.0))
    scene.add_patch(Rectangle((-1.0, -0.1), 16.0, 0.2, color=SAND))
    scene.add_patch(Rectangle((12.75, 0.1), 1.0, 4.0, color='#8a8178'))
    scene.add_patch(Rectangle((6.0, 0.1), 4.0, 3.9, fill=False, ec=GREEN, ls=':', lw=1.2))
    scene.text(6.1, 3.7, 'field: lateral acceleration', color=GREEN, fontsize=9)
    k = int(np.searchsorted(times, thrown))
    for x, color in ((way[0, 0], SAND), (way[k, 0], INK), (way[-1, 0], SAND)):
        scene.add_patch(Rectangle((x - 0.2, way[0, 2] - 0.2), 0.4, 0.4, color=color))
    start = way[k - 1, 0] + 0.25
    scene.plot([start, start + ranges[k - 1]], [way[0, 2]] * 2, color=RED, lw=1.0, ls='--')
    scene.text(0.2, 1.9, f'beam (red) in the cycle before the throw: {ranges[k - 1]:.2f} m', color=RED, fontsize=9)
    scene.plot(path[:, 0], path[:, 2], '.-', ms=2.5, lw=0.6, color=BLUE)
    scene.set(xlim=(-0.6, 14.2), ylim=(-0.15, 4.1), aspect='equal', xlabel='x [m]', ylabel='z [m]')
    scene.set_title('ball_throwing_robot: the robot when it throws (dark), and the ball at every commit')
    seen.plot(times, ranges, color=RED, lw=1.2)
    seen.axhline(10.0, color=INK, lw=0.6, ls=':')
    seen.axvline(thrown, color=INK, lw=0.6, ls=':')
    seen.set(ylabel='range [m]', xlim=(0.0, 8.0))
    lengths.plot(times, steps, '.', ms=3.0, color=BLUE)
    for blow in blows:
        lengths.axvline(blow, color=SAND, lw=1.0, zorder=0)
    lengths.set(ylabel='cycle [ms]', xlabel='simulated time [s]   (sand: impacts of the ball)', xlim=(0.0, 8.0))
    figure.savefig(FOLDER / 'evolution_robot.png', dpi=110)


def chain(rope: Linkage) -> Vector:
    """Return the ends of all rods in order, shape (n + 1, 3)."""
    half = rope.links[0].shapes[0].size[0] + rope.links[0].shapes[0].size[1]
    axes = [half * matrix(link.body.orientation)[:, 2] for link in rope.links]
    first, *_ = rope.links
    ends = [link.body.position + axis for link, axis in zip(rope.links, axes)]
    return np.array([first.body.position - axes[0], *ends])


def catenary(span: float, length: float, height: float) -> tuple[Vector, Vector]:
    """Return a rope that hangs at rest between two points of one height: 2 a sinh(span / 2 a) = length."""
    low, high = 1e-2, 1e3
    for _ in range(200):
        a = 0.5 * (low + high)
        x = min(span / (2.0 * a), 500.0)
        low, high = (a, high) if 2.0 * a * math.sinh(x) > length else (low, a)
    x = np.linspace(0.0, span, 100)
    return x, height + a * (np.cosh((x - 0.5 * span) / a) - math.cosh(0.5 * span / a))


def draw_ropes() -> None:
    """Draw the cable as it swings to the catenary, and the rope that a ball hits."""
    run = simulated('rope')
    cable, whip = (run.world.objects[name] for name in ('cable', 'whip'))
    assert isinstance(cable, Linkage) and isinstance(whip, Linkage)
    figure = Figure(figsize=(9.0, 4.2), layout='constrained')
    left, right = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
    shown = [(t, left) for t in (0.0, 0.4, 0.8, 1.4, 12.0)] + [(t, right) for t in (0.6, 0.9, 1.2, 1.6, 2.2)]
    colors = matplotlib.colormaps['viridis']
    balls: list[Vector] = []
    for t, axes in sorted(shown, key=lambda one: one[0]):
        end = round(t * 1e9)
        while run.world.t_ns < end:
            run.world.step(end)
            if 'ball' in run.world.objects and end <= 2_200_000_000:
                balls.append(run.world.objects['ball'].body.position.copy())
        nodes = chain(cable if axes is left else whip)
        share = min(1.0, t / 2.4)
        axes.plot(nodes[:, 0], nodes[:, 2], '-', lw=1.6, color=colors(0.9 * share), label=f'{t:g} s')
    x, z = catenary(4.0, 5.0, 4.0)
    left.plot(x, z, ':', color=RED, lw=1.6, label='catenary')
    path = np.array(balls)
    right.plot(path[:, 0], path[:, 2], '.', ms=2.0, color=RED, label='ball')
    left.set(title='cable: a chain of 24 rods, released', xlabel='x [m]', ylabel='z [m]', aspect='equal')
    right.set(title='whip: hit by a ball', xlabel='x [m]', aspect='equal', xlim=(4.6, 8.2))
    for axes in (left, right):
        axes.legend(fontsize=8, frameon=False, loc='best')
    figure.savefig(FOLDER / 'evolution_rope.png', dpi=110)


class Held:
    """Record of a constraint of a scenario: times of commits, impulses, and poses of its two objects."""

    def __init__(self, scenario: str, name: str, until_s: float) -> None:
        world = simulated(scenario).world
        coupling = world.objects[name]
        assert isinstance(coupling, Constraint)
        pair = [world.objects[held] for held in coupling.between]
        self.times: list[float] = []
        self.steps: list[float] = []
        self.impulses: list[float] = []
        self.lengths: list[float] = []
        self.weights: list[float] = []
        self.places: list[tuple[Vector, Vector]] = []
        while world.t_ns < round(until_s * 1e9):
            report = world.step(round(until_s * 1e9))
            ends = [o.body.position + matrix(o.body.orientation) @ p for o, p in zip(pair, self.points(coupling))]
            here = [i.impulse for i in report.impulses if (i.a, i.b) == coupling.between]
            self.times.append(1e-9 * report.t_ns)
            self.steps.append(1e-9 * report.dt_ns)
            self.impulses.append(float(np.linalg.norm(np.sum(here, axis=0))) if here else 0.0)
            self.lengths.append(float(np.linalg.norm(ends[1] - ends[0])))
            lift = pair[0].free_acceleration()
            self.weights.append(pair[1].body.mass * (1.62 + (0.0 if lift is None else lift[2])))
            self.places.append((pair[0].body.position.copy(), pair[1].body.position.copy()))

    @staticmethod
    def points(coupling: Constraint) -> tuple[Vector, Vector]:
        """Return the ends of the constraint in the frames of the two objects."""
        return coupling.near[0], np.zeros(3) if coupling.far is None else coupling.far[0]

    def force(self) -> tuple[list[float], list[float]]:
        """Return times [s] and mean forces [N] of spans of 0.2 s."""
        edges = np.arange(0.0, self.times[-1] + 0.1, 0.2)
        span = np.digitize(self.times, edges)
        pairs = [(edges[k - 1] + 0.1, span == k) for k in range(1, len(edges))]
        steps, impulses = np.array(self.steps), np.array(self.impulses)
        return [t for t, _ in pairs], [float(impulses[here].sum() / steps[here].sum()) for _, here in pairs]


def draw_held() -> None:
    """Draw tension and length of a tow cable, and a rover that hangs from a lander until its release."""
    figure = Figure(figsize=(9.0, 5.4), layout='constrained')
    (pull, load), (length, heights) = figure.subplots(2, 2, sharex='col')
    seen = Held('tow', 'cable', 22.0)
    pull.plot(*seen.force(), color=BLUE)
    pull.set(title='tow', ylabel='tension [N], mean over 0.2 s')
    length.plot(seen.times, seen.lengths, color=INK, label='end to end')
    length.axhline(2.8, color=RED, lw=1.2, ls=':', label='length of the cable')
    length.set(ylabel='[m]', xlabel='simulated time [s]')
    seen = Held('lander', 'clamp', 20.0)
    load.plot(*seen.force(), color=BLUE, label='carried by the clamp, mean over 0.2 s')
    load.plot(seen.times, seen.weights, ':', color=RED, lw=1.6, label='m (g + a)')
    load.set(title='lander', ylabel='force [N]')
    first, second = np.array(seen.places).transpose(1, 0, 2)
    heights.plot(seen.times, first[:, 2] + 2.6, color=SAND, label="lander's deck, from below")
    heights.plot(seen.times, second[:, 2], color=INK, label='rover')
    heights.set(ylabel='height [m]', xlabel='simulated time [s]')
    for axes in (length, load, heights):
        axes.legend(fontsize=8, frameon=False)
    figure.savefig(FOLDER / 'evolution_held.png', dpi=110)


if __name__ == '__main__':
    draw_cycle()
    draw_robot()
    draw_ropes()
    draw_held()
