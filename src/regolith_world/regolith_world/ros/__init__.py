# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS: conversion of records, QoS, the bus over topics; imported by nodes only."""
