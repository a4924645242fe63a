# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of random words: published vectors, and dependence on every part of a key."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_world.random.philox import mix_bits, normal_and_uniform, philox_block, stream_key


def test_philox_known_vectors() -> None:
    """The vectors of Random123's kat_vectors for philox4x32, 10 rounds."""
    assert [int(w) for w in philox_block(0, 0, 0)] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    ones = np.uint64(2**64 - 1)
    assert [int(w) for w in philox_block(ones, ones, ones)] == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    key, frame, index = np.uint64(0x299F31D0A4093822), np.uint64(0x0370734413198A2E), np.uint64(0x85A308D3243F6A88)
    assert [int(w) for w in philox_block(key, frame, index)] == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


def test_mix_known_values() -> None:
    """The first numbers of SplitMix64 from seed 1234567, as published with xoshiro (Vigna 2015, splitmix64.c)."""
    state, numbers = 1234567, []
    for _ in range(5):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        numbers.append(int(mix_bits(np.uint64(state))))
    assert numbers == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_streams_differ_by_each_part_of_their_name() -> None:
    keys = [
        stream_key(*of) for of in ((7, 'amber', 'slip'), (8, 'amber', 'slip'), (7, 'basalt', 'slip'), (7, 'amber', 'x'))
    ]
    assert len(set(map(int, keys))) == 4 and stream_key(7, 'amber', 'slip') == keys[0]
    # SHA-256 of '7\\0amber\\0slip', its first eight bytes, little-endian.
    assert int(keys[0]) == 0x5B17E7AA521B437C


def test_normal_and_uniform_numbers_have_their_distributions() -> None:
    """Moments of 20 000 draws within four standard errors; each block is independent of earlier draws."""
    key = stream_key(1, 'test', 'normal')
    drawn = np.array([normal_and_uniform(key, 3, k) for k in range(20_000)])
    assert drawn[:, 0].mean() == pytest.approx(0.0, abs=4 / np.sqrt(2e4))
    assert drawn[:, 0].var() == pytest.approx(1.0, abs=4 * np.sqrt(2 / 2e4))
    assert (drawn[:, 0] ** 4).mean() == pytest.approx(3.0, abs=4 * np.sqrt(96 / 2e4))
    assert drawn[:, 1].mean() == pytest.approx(0.5, abs=4 / np.sqrt(12 * 2e4)) and drawn[:, 1].min() >= 0.0
    assert drawn[:, 1].max() < 1.0 and abs(np.corrcoef(drawn.T)[0, 1]) < 4 / np.sqrt(2e4)
    assert normal_and_uniform(key, 3, 17) == tuple(drawn[17]) != normal_and_uniform(key, 4, 17)
