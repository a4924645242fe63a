# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Photon counts of single-photon avalanche diodes over the time of flight.

``rate`` is the mean number of counts per pulse and bin that a detector makes which is always ready: signal, background
and dark counts. A count makes the detector blind for its dead time, in the synchronous mode for the rest of the pulse.
So of n pulses those are ready at bin k that had no count in the d bins before, and

    H[k] ~ Binomial(n - sum_{j = k - d}^{k - 1} H[j], 1 - exp(-rate[k])),

which is exact: blind times do not overlap. Coates' estimate inverts it.

Simplifications: a bin has at most one count per pulse; blindness does not last from one pulse to the next; afterpulses
are added to the rate by their mean.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Floats, Singles
from regolith_world.numerics import kernel

Counts = NDArray[np.uint16]

FWHM = 2.0 * math.sqrt(2.0 * math.log(2.0))
"""Full width at half maximum of a Gaussian, in standard deviations."""
_REACH = 6.0
"""Standard deviations beyond which a pulse has no photons; the rest is 2e-9."""


@kernel
def add_pulses(time: Floats, photons: Floats, sigma: float, start: float, width: float, rate: Singles) -> None:
    """Add the photons of echoes to the bins of a pixel, spread over a Gaussian pulse.

    Args:
        time: Times of flight [s], shape (n,).
        photons: Mean numbers of counts per pulse, shape (n,).
        sigma: Standard deviation of pulse and timing jitter [s]; 0: all in one bin.
        start: Start of the first bin [s].
        width: Width of a bin [s].
        rate: In/out: mean number of counts per pulse and bin, shape (bins,).

    Source: otoole2017.
    Checked by: test_spad.py::test_pulse_has_its_photons_and_its_width,
    test_spad.py::test_plane_at_a_range_has_its_peak_at_the_time_of_flight.
    """
    for n in range(time.shape[0]):
        if not photons[n] > 0.0:
            continue
        middle = (time[n] - start) / width
        reach = _REACH * sigma / width
        first, last = int(math.floor(middle - reach)), int(math.floor(middle + reach))
        if sigma == 0.0:
            if 0 <= first < rate.shape[0]:
                rate[first] += photons[n]
            continue
        scale = width / (sigma * math.sqrt(2.0))
        before = math.erf((first - middle) * scale)
        for k in range(first, last + 1):
            after = math.erf((k + 1 - middle) * scale)
            if 0 <= k < rate.shape[0]:
                rate[k] += 0.5 * (after - before) * photons[n]
            before = after


def draw_counts(
    rate: Singles,
    pulses: int,
    dead_bins: int,
    random: np.random.Generator,
    afterpulse: float = 0.0,
    afterpulse_bins: float = 1.0,
) -> Counts:
    """Return the counts of a number of pulses in all bins, shape (pixels, bins).

    Args:
        rate: Mean number of counts per pulse and bin of a ready detector, shape (pixels, bins).
        pulses: Number of pulses, at most 65535.
        dead_bins: Number of bins of dead time; at least the number of bins: one count per pulse.
        random: Generator of the frame.
        afterpulse: Probability of an afterpulse per count.
        afterpulse_bins: Mean delay of afterpulses after dead time [bins].

    Source: coates1968; rapp2017.
    Checked by: test_spad.py::test_weak_light_gives_poisson_counts,
    test_spad.py::test_constant_light_gives_geometric_counts, test_spad.py::test_dead_time_lowers_the_rate.
    """
    pixels, bins = rate.shape
    counts = np.zeros((pixels, bins), dtype=np.uint16)
    ready = np.full(pixels, pulses, dtype=np.int64)
    afterglow, decay = np.zeros(pixels), math.exp(-1.0 / afterpulse_bins)
    for k in range(bins):
        if k > dead_bins:
            again = counts[:, k - dead_bins - 1]
            ready += again
            if afterpulse > 0.0:
                afterglow += afterpulse * (1.0 - decay) * again
        chance = -np.expm1(-rate[:, k].astype(np.float64))
        if afterpulse > 0.0:
            chance += np.minimum(afterglow / np.maximum(ready, 1), 1.0 - chance)
            afterglow *= decay
        counts[:, k] = random.binomial(ready, chance)
        ready -= counts[:, k]
    return counts


def estimated_rate(counts: Counts, pulses: int, dead_bins: int) -> tuple[Floats, Floats]:
    """Return Coates' estimate of the rate, and the number of pulses with a ready detector, shape (pixels, bins) each.

    The estimate is 0 where no detector was ready, and infinite where all counted.

    Args:
        counts: Counts of all bins, shape (pixels, bins).
        pulses: Number of pulses.
        dead_bins: Number of bins of dead time.

    Source: coates1968.
    Checked by: test_spad.py::test_strong_light_shifts_the_peak_and_coates_recovers_it.
    """
    whole = np.cumsum(counts, axis=1, dtype=np.int64)
    past = np.zeros_like(whole)
    past[:, dead_bins + 1 :] = whole[:, : max(0, whole.shape[1] - dead_bins - 1)]
    ready = (pulses - (whole - counts - past)).astype(np.float64)
    with np.errstate(divide='ignore', invalid='ignore'):
        found = np.log(ready / (ready - counts))
    return np.where(ready > 0.0, found, 0.0), ready


@kernel
def find_peaks(
    estimate: Floats, ready: Floats, half: int, least: float, pulses: int, place: Floats, signal: Floats
) -> None:
    """Write the place of the most significant pulse of each pixel in bins, NaN without one, and its counts per pulse.

    A pulse is a sum over up to 2 half + 1 bins. Its significance is that of its counts x over those of the background b
    in standard deviations, 2 (sqrt(x + 3/8) - sqrt(b + 3/8)), which holds for few counts, too. The background is the
    median of the estimate. The place is the centroid of the bins above the background.

    Args:
        estimate: Estimated rate, shape (pixels, bins).
        ready: Number of pulses with a ready detector, shape (pixels, bins).
        half: Half of the width of a pulse [bins].
        least: Least significance.
        pulses: Number of laser pulses.
        place: Output: place, 0 at the start of the first bin, shape (pixels,).
        signal: Output: mean number of signal counts per pulse, shape (pixels,).

    Source: anscombe1948.
    Checked by: test_spad.py::test_peak_is_the_centroid_and_needs_its_significance,
    test_spad.py::test_night_sky_has_no_points.
    """
    bins = estimate.shape[1]
    row = np.empty(bins)
    for n in range(estimate.shape[0]):
        for k in range(bins):
            row[k] = estimate[n, k] if estimate[n, k] < 50.0 else 50.0
        # The median of few counts is 0: one count among all pulses is a bound.
        background = max(float(np.median(row)), 1.0 / pulses)
        best, at = 0.0, -1
        for k in range(bins):
            low, end = max(0, k - half), min(bins, k + half + 1)
            found, expected = 0.0, 0.0
            for j in range(low, end):
                found += row[j] * ready[n, j]
                expected += background * ready[n, j]
            score = 2.0 * (math.sqrt(found + 0.375) - math.sqrt(expected + 0.375))
            if score > best:
                best, at = score, k
        place[n], signal[n] = math.nan, 0.0
        if best <= least:
            continue
        total, moment = 0.0, 0.0
        for k in range(max(0, at - half), min(bins, at + half + 1)):
            over = max(row[k] - background, 0.0)
            total += over
            moment += over * (k + 0.5)
        if total > 0.0:
            place[n], signal[n] = moment / total, total
