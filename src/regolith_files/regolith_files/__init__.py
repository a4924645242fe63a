# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration files: YAML reader, schemas, validation, error messages and loading of plug-ins.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files.lazy_names import export_lazily as export_lazily

if TYPE_CHECKING:
    from regolith_files import extension_points as extension_points
    from regolith_files.atomic_write import write_atomically as write_atomically
    from regolith_files.bounded_yaml import load_yaml as load_yaml
    from regolith_files.extension_points import SWEEP as SWEEP
    from regolith_files.extension_points import BagReader as BagReader
    from regolith_files.extension_points import Caption as Caption
    from regolith_files.extension_points import Citations as Citations
    from regolith_files.extension_points import CommandContext as CommandContext
    from regolith_files.extension_points import Figure as Figure
    from regolith_files.extension_points import FileKind as FileKind
    from regolith_files.extension_points import Heading as Heading
    from regolith_files.extension_points import Message as Message
    from regolith_files.extension_points import NoRecordingError as NoRecordingError
    from regolith_files.extension_points import ReportSection as ReportSection
    from regolith_files.extension_points import Run as Run
    from regolith_files.extension_points import Table as Table
    from regolith_files.extension_points import Topic as Topic
    from regolith_files.extension_points import ViewLayer as ViewLayer
    from regolith_files.extension_points import ViewMarks as ViewMarks
    from regolith_files.file_library import FileLibrary as FileLibrary
    from regolith_files.file_library import entry_point_path as entry_point_path
    from regolith_files.paths import refuse_url as refuse_url
    from regolith_files.paths import usable_file as usable_file
    from regolith_files.plugins import PluginError as PluginError
    from regolith_files.plugins import entry_points as entry_points
    from regolith_files.plugins import instance_of as instance_of
    from regolith_files.plugins import load_plugin as load_plugin
    from regolith_files.plugins import load_plugins as load_plugins
    from regolith_files.problems import InputError as InputError
    from regolith_files.problems import Problem as Problem
    from regolith_files.problems import allowed_names as allowed_names
    from regolith_files.problems import as_yaml_text as as_yaml_text
    from regolith_files.problems import closest_name as closest_name
    from regolith_files.problems import counted_noun as counted_noun
    from regolith_files.problems import rounded_text as rounded_text
    from regolith_files.problems import without_file_name as without_file_name
    from regolith_files.section import LONGEST_DURATION_S as LONGEST_DURATION_S
    from regolith_files.section import SHORTEST_DURATION_S as SHORTEST_DURATION_S
    from regolith_files.section import PositiveTimeSinceStart as PositiveTimeSinceStart
    from regolith_files.section import Seconds as Seconds
    from regolith_files.section import Section as Section
    from regolith_files.section import TimeSinceStart as TimeSinceStart
    from regolith_files.streams import flush_output as flush_output
    from regolith_files.streams import open_streams as open_streams
    from regolith_files.validation import allowed_keys as allowed_keys
    from regolith_files.validation import validated as validated
    from regolith_files.validation_messages import describe_error as describe_error
    from regolith_files.yaml_source import KeyPath as KeyPath
    from regolith_files.yaml_source import ValueOrigin as ValueOrigin
    from regolith_files.yaml_source import YamlSource as YamlSource
    from regolith_files.yaml_source import parse_yaml_value as parse_yaml_value
    from regolith_files.yaml_source import value_at as value_at

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'atomic_write': ('write_atomically',),
        'bounded_yaml': ('load_yaml',),
        'extension_points': (
            'BagReader',
            'Caption',
            'Citations',
            'CommandContext',
            'Figure',
            'FileKind',
            'Heading',
            'Message',
            'NoRecordingError',
            'ReportSection',
            'Run',
            'SWEEP',
            'Table',
            'Topic',
            'ViewLayer',
            'ViewMarks',
        ),
        'file_library': (
            'FileLibrary',
            'entry_point_path',
        ),
        'lazy_names': ('export_lazily',),
        'paths': (
            'refuse_url',
            'usable_file',
        ),
        'plugins': (
            'PluginError',
            'entry_points',
            'instance_of',
            'load_plugin',
            'load_plugins',
        ),
        'problems': (
            'InputError',
            'Problem',
            'allowed_names',
            'as_yaml_text',
            'closest_name',
            'counted_noun',
            'rounded_text',
            'without_file_name',
        ),
        'section': (
            'LONGEST_DURATION_S',
            'PositiveTimeSinceStart',
            'SHORTEST_DURATION_S',
            'Seconds',
            'Section',
            'TimeSinceStart',
        ),
        'streams': (
            'flush_output',
            'open_streams',
        ),
        'validation': (
            'allowed_keys',
            'validated',
        ),
        'validation_messages': ('describe_error',),
        'yaml_source': (
            'KeyPath',
            'ValueOrigin',
            'YamlSource',
            'parse_yaml_value',
            'value_at',
        ),
    },
    modules=('extension_points',),
)
