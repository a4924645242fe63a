# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radio link: received power, bit and packet errors, probability of delivery.

The model is that of the SubT simulator: log-distance path loss, log-normal fading, and SubT's bit error rate for QPSK.
The path loss exponent increases with the visibility cost. All functions accept arrays that broadcast.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfc

from regolith_comms.radio_config import Radio, load_radio, radio_names
from regolith_world.numerics import portable_math

Floats = NDArray[np.float64]

__all__ = [
    'Radio',
    'bit_error',
    'delivery',
    'load_radio',
    'packet_error',
    'radio_names',
    'received_power',
    'success_probability',
]

_SPAN = 9.0
_POINTS = 801
_CHUNK = 4096


def received_power(range_m: ArrayLike, hops: ArrayLike, cost: ArrayLike, radio: Radio) -> tuple[Floats, Floats]:
    """Return mean [dBm] and variance [dB^2] of the received power.

    ``tx - (L0 + 10 n log10(s (range + hops per_hop)))`` with ``n = exponent + k cost``. Without a link the values are
    -inf and 0; at zero distance the mean is +inf.

    Args:
        range_m: Length of the longest leg of the route [m].
        hops: Number of breadcrumbs on the route.
        cost: Visibility cost [-]; inf: unreachable.
        radio: Parameters of the radios.

    Source: subt2022, VisibilityRfModel and RangeModel.
    Checked by: test_reference.py::test_range_model_matches_the_reference,
    test_reference.py::test_simple_range_models_match_the_reference.
    """
    range_m, hops, cost = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (range_m, hops, cost)))
    beyond = (range_m > radio.max_range_m) & (radio.max_range_m > 0.0)
    with np.errstate(divide='ignore', invalid='ignore'):
        if radio.model == 'distance':
            mean, variance = np.full(range_m.shape, radio.tx_power_dbm), 0.0
        elif radio.model == 'log_normal_range':
            loss = radio.path_loss_1m_db + 10.0 * radio.fading_exponent * portable_math.each(_decades, range_m)
            mean, variance = radio.tx_power_dbm - loss, radio.fading_variance_db2
        else:
            beyond |= ~(cost <= radio.visibility_cost_max)
            exponent = radio.fading_exponent + radio.visibility_cost_to_fading_exponent * cost
            effective = radio.scaling_factor * (range_m + hops * radio.range_per_hop_m)
            mean = radio.tx_power_dbm - (
                radio.path_loss_1m_db + 10.0 * exponent * portable_math.each(_decades, effective)
            )
            variance = radio.fading_variance_db2
    return np.where(beyond, -np.inf, mean), np.where(beyond, 0.0, variance)


def _decades(length: float) -> float:
    """Return log10, or -inf for zero."""
    return math.log10(length) if length != 0.0 else -math.inf


def bit_error(rx_power_dbm: ArrayLike, radio: Radio) -> Floats:
    """Return the bit error rate at a received power [dBm]: erfc(sqrt(SNR)), SubT's QPSK (without the factor 1/2).

    Source: subt2022, RFModel.
    Checked by: test_reference.py::test_packet_errors_match_the_reference.
    """
    ratio = 10.0 ** ((np.asarray(rx_power_dbm, dtype=np.float64) - radio.noise_floor_dbm) / 10.0)
    return np.asarray(erfc(np.sqrt(ratio)))


def packet_error(rx_power_dbm: ArrayLike, n_bytes: ArrayLike, radio: Radio) -> Floats:
    """Return the probability that a packet of ``n_bytes`` is lost: 1 - (1 - BER)^n, counted in bytes as in SubT.

    The result is nan for an empty packet at -inf dBm, which counts as lost.

    Source: subt2022, RFModel.
    Checked by: test_reference.py::test_packet_errors_match_the_reference.
    """
    error = bit_error(rx_power_dbm, radio)
    with np.errstate(divide='ignore', invalid='ignore'):
        return np.asarray(-np.expm1(np.asarray(n_bytes, dtype=np.float64) * np.log1p(-error)))


def delivery(rx_power_dbm: ArrayLike, n_bytes: ArrayLike, radio: Radio) -> Floats:
    """Return the probability of delivery at a given received power: 1 - PER, 0 where this is nan.

    Source: subt2022, RFModel.
    Checked by: test_reference.py::test_success_probabilities_match_the_reference.
    """
    return np.nan_to_num(1.0 - packet_error(rx_power_dbm, n_bytes, radio), nan=0.0)


def success_probability(mean_dbm: ArrayLike, variance: ArrayLike, n_bytes: ArrayLike, radio: Radio) -> Floats:
    """Return the probability of delivery with fading: power distributed as Normal(mean, variance).

    The expectation of 1 - PER is computed by the trapezoidal rule over +-9 standard deviations with 801 points. The
    integrand is analytic in a strip of +-6.8 dB around the real line, so the rule converges geometrically.

    Source: subt2022, VisibilityRfModel; trefethen2014, theorem 5.1.
    Checked by: test_reference.py::test_success_probabilities_match_the_reference,
    test_reference.py::test_success_rates_match_the_exact_probability.
    """
    mean, variance, n_bytes = np.broadcast_arrays(
        *(np.asarray(v, dtype=np.float64) for v in (mean_dbm, variance, n_bytes))
    )
    shape = mean.shape
    mean, variance, n_bytes = mean.ravel(), variance.ravel(), n_bytes.ravel()
    out = delivery(mean, n_bytes, radio)
    nodes = np.linspace(-_SPAN, _SPAN, _POINTS)
    weights = np.exp(-0.5 * nodes**2)
    weights /= weights.sum()
    fading = np.nonzero((variance > 0.0) & np.isfinite(mean))[0]
    for start in range(0, len(fading), _CHUNK):
        part = fading[start : start + _CHUNK]
        power = mean[part, None] + np.sqrt(variance[part, None]) * nodes
        out[part] = delivery(power, n_bytes[part, None], radio) @ weights
    return out.reshape(shape)
