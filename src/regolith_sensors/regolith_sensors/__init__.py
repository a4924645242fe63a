# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensors: the scene and its light, reflectance of regolith, cameras, lidars, inertial and position sensors."""

from regolith_files.moved import moved

moved(__name__, {
    'build': 'scene.build', 'world_view': 'scene.world_view', 'terrain_tiles': 'scene.terrain_tiles',
    'rock_layer': 'scene.rock_layer', 'meshes': 'scene.meshes', 'vehicle_mesh': 'scene.vehicle_mesh',
    'materials': 'scene.materials', 'micro_relief': 'scene.micro_relief', 'scene_layout': 'scene.layout',
    'embree': 'rays.embree.library', 'render': 'rays.embree.render', 'lighting': 'rays.embree.lighting',
    'shading': 'rays.shading', 'surface': 'rays.embree.surface', 'surface_light': 'rays.embree.surface_light',
    'rays.render': 'rays.embree.render', 'rays.casting': 'rays.embree.casting', 'threads': 'rays.threads',
    'elementary': 'rays.elementary', 'edges': 'rays.edges', 'lidar_config': 'lidar.config',
    'point_cloud': 'lidar.point_cloud', 'imu': 'inertial.imu', 'imu_config': 'inertial.imu_config',
    'gnss': 'inertial.gnss', 'gnss_config': 'inertial.gnss_config', 'motion': 'inertial.motion',
    'drift': 'inertial.drift', 'ground_truth': 'labels.ground_truth', 'dataset': 'labels.dataset',
    'stereo': 'labels.stereo',
})
