# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Embree 4 through its C API: scenes are built with ctypes, rays are traced from compiled loops in packets of 16.

The ``embreex`` wheel contains the whole library; its own Python classes can neither instance nor change a scene. Scenes
are built by one thread, so equal scenes are bit-identical. Hits at equal distance then always resolve to the same
(instance, primitive). Nothing is refitted, because a refitted hierarchy depends on its history.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, c_char_p, c_float, c_int, c_size_t, c_uint, c_void_p
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import embreex
import numpy as np
from llvmlite import binding
from numba import types
from numpy.typing import NDArray

from regolith_sensors.surfaces.scene_arrays import SceneArrays

TRIANGLES, GRID, ORIENTED_DISCS, INSTANCE = 0, 2, 52, 121
_INDEX, _VERTEX, _NORMAL, _GRID_BUFFER = 0, 1, 3, 8
_UINT3, _FLOAT3, _FLOAT4, _MATRIX, _GRID_FORMAT = 0x5003, 0x9003, 0x9004, 0x9134, 0xA001
_ROBUST = 4
_QUALITY_LOW, _QUALITY_MEDIUM = 0, 1

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    'rtcNewDevice': (c_void_p, [c_char_p]),
    'rtcReleaseDevice': (None, [c_void_p]),
    'rtcGetDeviceError': (c_int, [c_void_p]),
    'rtcNewScene': (c_void_p, [c_void_p]),
    'rtcReleaseScene': (None, [c_void_p]),
    'rtcSetSceneFlags': (None, [c_void_p, c_int]),
    'rtcSetSceneBuildQuality': (None, [c_void_p, c_int]),
    'rtcCommitScene': (None, [c_void_p]),
    'rtcNewGeometry': (c_void_p, [c_void_p, c_int]),
    'rtcReleaseGeometry': (None, [c_void_p]),
    'rtcCommitGeometry': (None, [c_void_p]),
    'rtcAttachGeometryByID': (None, [c_void_p, c_void_p, c_uint]),
    'rtcDetachGeometry': (None, [c_void_p, c_uint]),
    'rtcSetSharedGeometryBuffer': (None, [c_void_p, c_int, c_uint, c_int, c_void_p, c_size_t, c_size_t, c_size_t]),
    'rtcUpdateGeometryBuffer': (None, [c_void_p, c_int, c_uint]),
    'rtcSetGeometryInstancedScene': (None, [c_void_p, c_void_p]),
    'rtcSetGeometryTransform': (None, [c_void_p, c_uint, c_int, POINTER(c_float)]),
}

Singles = NDArray[np.float32]


class EmbreeError(RuntimeError):
    """Error of the ray tracing library: invalid input, or the library could not be loaded."""


@lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """Return the loaded library with typed functions, and make its symbols available to compiled loops.

    Raises:
        EmbreeError: If the wheel does not contain Embree 4.
    """
    folder = Path(embreex.__file__).parent
    found = sorted([*folder.parent.glob('embreex.libs/libembree4*'), *folder.glob('**/*embree4*')])
    if not found:
        raise EmbreeError(f'no Embree 4 beside {folder}; reinstall embreex 4.4 from its wheel')
    binding.load_library_permanently(str(found[0]))
    lib = ctypes.CDLL(str(found[0]))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


# Compiled loops resolve their symbols when they are loaded, so the library must be loaded first.
library()
_trace = types.void(types.intp, types.intp, types.intp, types.intp)
intersect16 = types.ExternalFunction('rtcIntersect16', _trace)
"""Function (valid int32[16], scene, RTCRayHit16, arguments) with addresses as arguments, all 64-byte aligned."""
occluded16 = types.ExternalFunction('rtcOccluded16', _trace)
"""Function (valid int32[16], scene, RTCRay16, arguments); tfar becomes -inf for occluded rays."""

# Rows of a packet, 16 lanes of 4 bytes each: RTCRay16, then RTCHit16 with one level of instances.
ORG_X, ORG_Y, ORG_Z, T_NEAR, DIR_X, DIR_Y, DIR_Z, _TIME, T_FAR, MASK, _ID, _FLAGS = range(12)
NG_X, NG_Y, NG_Z, HIT_U, HIT_V, PRIM, GEOM, INST, _INST_PRIM = range(12, 21)
PACKET_ROWS = 24


def aligned(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return a zeroed array that begins at a multiple of 64 bytes."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(count + 64, dtype=np.uint8)
    start = -raw.ctypes.data % 64
    out: NDArray[Any] = raw[start : start + count].view(dtype).reshape(shape)
    return out


class Workspace:
    """Memory of one thread for tracing packets."""

    def __init__(self) -> None:
        self.packet = aligned((2, PACKET_ROWS, 16), np.float32)
        """Primary rays with their hits, and shadow rays."""
        self.words = self.packet.view(np.uint32)
        self.valid = aligned((2, 16), np.int32)
        self.arguments = aligned((2, 16), np.int32)
        # RTCRayQueryFlags (coherent for the first), RTCFeatureFlags (all), then null pointers.
        self.arguments[:, 1] = -1
        self.arguments[0, 0] = 1 << 16


class Device:
    """An Embree device; scenes keep it alive."""

    def __init__(self) -> None:
        self.lib = library()
        self.handle = self.lib.rtcNewDevice(b'threads=1,set_affinity=0')
        if not self.handle:
            raise EmbreeError(f'no device: error {self.lib.rtcGetDeviceError(None)}')

    def check(self, what: str) -> None:
        """Raise an error if an operation failed since the last check.

        Args:
            what: Name of the operation for the message.

        Raises:
            EmbreeError: With Embree's error number.
        """
        error = self.lib.rtcGetDeviceError(self.handle)
        if error:
            raise EmbreeError(f'{what}: Embree error {error}')

    def __del__(self) -> None:
        """Release the device."""
        if getattr(self, 'handle', None):
            self.lib.rtcReleaseDevice(self.handle)


@lru_cache(maxsize=1)
def shared_device(process: int) -> Device:
    """Return the device of all scenes of a process.

    With a second device in a process, a thread of Embree's scheduler does not sleep: it stays busy even while nothing
    is built or traced.

    Args:
        process: Number of the calling process; a forked child needs a device of its own.
    """
    del process
    return Device()


class Geometry:
    """Scene of one geometry, the target of instances; the arrays are shared, not copied."""

    def __init__(self, device: Device, kind: int, low_quality: bool = False) -> None:
        self.device = device
        lib = device.lib
        self.scene = lib.rtcNewScene(device.handle)
        # Robust mode: no ray passes through the shared edge of two triangles.
        lib.rtcSetSceneFlags(self.scene, _ROBUST)
        lib.rtcSetSceneBuildQuality(self.scene, _QUALITY_LOW if low_quality else _QUALITY_MEDIUM)
        self.handle = lib.rtcNewGeometry(device.handle, kind)
        self._kept: list[NDArray[Any]] = []

    @staticmethod
    def triangles(device: Device, vertices: Singles, indices: NDArray[np.uint32]) -> Geometry:
        """Return a mesh of vertices, shape (n, 3), and triangles, shape (m, 3)."""
        self = Geometry(device, TRIANGLES)
        # Embree reads 16 bytes at the last vertex.
        padded = np.zeros((len(vertices) + 1, 3), dtype=np.float32)
        padded[:-1] = vertices
        self._share(_VERTEX, _FLOAT3, padded, 12, len(vertices))
        self._share(_INDEX, _UINT3, np.ascontiguousarray(indices, dtype=np.uint32), 12, len(indices))
        return self._attached()

    @staticmethod
    def grid(device: Device, vertices: Singles, side: int) -> Geometry:
        """Return a grid of side x side vertices; ``vertices`` is shared and needs 4 spare bytes at its end."""
        self = Geometry(device, GRID, low_quality=True)
        self._share(_VERTEX, _FLOAT3, vertices, 12, side * side)
        grid = np.zeros(1, dtype=[('start', '<u4'), ('stride', '<u4'), ('width', '<u2'), ('height', '<u2')])
        grid[0] = (0, side, side, side)
        self._share(_GRID_BUFFER, _GRID_FORMAT, grid, 12, 1)
        return self._attached()

    @staticmethod
    def discs(device: Device, places: Singles, normals: Singles) -> Geometry:
        """Return discs from centers and radii, shape (n, 4), and normals, shape (n, 3); both sides are visible."""
        self = Geometry(device, ORIENTED_DISCS)
        padded = np.zeros((len(normals) + 1, 3), dtype=np.float32)
        padded[:-1] = normals
        self._share(_VERTEX, _FLOAT4, np.ascontiguousarray(places, dtype=np.float32), 16, len(places))
        self._share(_NORMAL, _FLOAT3, padded, 12, len(normals))
        return self._attached()

    def _share(self, buffer: int, form: int, array: NDArray[Any], stride: int, count: int) -> None:
        self._kept.append(array)
        self.device.lib.rtcSetSharedGeometryBuffer(
            self.handle, buffer, 0, form, array.ctypes.data_as(c_void_p), 0, stride, count
        )

    def _attached(self) -> Geometry:
        lib = self.device.lib
        lib.rtcCommitGeometry(self.handle)
        lib.rtcAttachGeometryByID(self.scene, self.handle, 0)
        lib.rtcCommitScene(self.scene)
        self.device.check('geometry')
        return self

    def rebuild(self) -> None:
        """Rebuild the geometry with changed vertices."""
        lib = self.device.lib
        lib.rtcUpdateGeometryBuffer(self.handle, _VERTEX, 0)
        lib.rtcCommitGeometry(self.handle)
        lib.rtcCommitScene(self.scene)

    def __del__(self) -> None:
        """Release the scene."""
        if getattr(self, 'handle', None):
            self.device.lib.rtcReleaseGeometry(self.handle)
            self.device.lib.rtcReleaseScene(self.scene)


class InstanceScene:
    """Scene of instances, numbered from 0 in the order of :meth:`set`."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.handle = 0
        self._instances: list[tuple[int, Geometry]] = []

    def set(self, geometries: list[Geometry], transforms: Singles) -> None:
        """Replace all instances; ``transforms`` are row-major 3 x 4 matrices, shape (n, 3, 4)."""
        self.close()
        lib = self.device.lib
        self.handle = lib.rtcNewScene(self.device.handle)
        lib.rtcSetSceneFlags(self.handle, _ROBUST)
        for number, geometry in enumerate(geometries):
            instance = lib.rtcNewGeometry(self.device.handle, INSTANCE)
            lib.rtcSetGeometryInstancedScene(instance, geometry.scene)
            self._instances.append((instance, geometry))
            lib.rtcAttachGeometryByID(self.handle, instance, number)
            self.place(number, transforms[number])
        self.commit()

    def place(self, number: int, transform: Singles) -> None:
        """Move an instance, effective after :meth:`commit`; the transform is row-major 3 x 4, C-contiguous."""
        pointer = transform.ctypes.data_as(POINTER(c_float))
        instance = self._instances[number][0]
        self.device.lib.rtcSetGeometryTransform(instance, 0, _MATRIX, pointer)
        self.device.lib.rtcCommitGeometry(instance)

    def replace(self, number: int, geometry: Geometry) -> None:
        """Replace the geometry of an instance, effective after :meth:`commit`."""
        instance = self._instances[number][0]
        self.device.lib.rtcSetGeometryInstancedScene(instance, geometry.scene)
        self.device.lib.rtcCommitGeometry(instance)
        self._instances[number] = instance, geometry

    def touch(self, number: int) -> None:
        """Register that the geometry of an instance was rebuilt."""
        self.device.lib.rtcCommitGeometry(self._instances[number][0])

    def commit(self) -> None:
        """Build all changes.

        Raises:
            EmbreeError: If Embree reports an error.
        """
        self.device.lib.rtcCommitScene(self.handle)
        self.device.check('scene')

    def close(self) -> None:
        """Release all instances and the scene."""
        for instance, _ in self._instances:
            self.device.lib.rtcReleaseGeometry(instance)
        self._instances = []
        if self.handle:
            self.device.lib.rtcReleaseScene(self.handle)
            self.handle = 0

    def __del__(self) -> None:
        """Release all instances and the scene."""
        if hasattr(self, '_instances'):
            self.close()


class Traced(NamedTuple):
    """Scene of instances with its arrays, for the kernels."""

    handle: int
    """Address of the scene of instances."""
    scene: SceneArrays


_FREE: list[Workspace] = []


@contextmanager
def workspace() -> Iterator[Workspace]:
    """Provide a workspace to the calling thread for the duration of the context."""
    try:
        lent = _FREE.pop()
    except IndexError:
        lent = Workspace()
    try:
        yield lent
    finally:
        _FREE.append(lent)
