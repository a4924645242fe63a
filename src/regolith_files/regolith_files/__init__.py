# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration files: YAML reader, schemas, validation, error messages and loading of plug-ins.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files.lazy_names import lazy_names

if TYPE_CHECKING:
    from regolith_files.extension_points import SWEEP as SWEEP
    from regolith_files.extension_points import BagReader as BagReader
    from regolith_files.extension_points import Caption as Caption
    from regolith_files.extension_points import Citations as Citations
    from regolith_files.extension_points import CommandContext as CommandContext
    from regolith_files.extension_points import Figure as Figure
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
    from regolith_files.plugins import PluginError as PluginError
    from regolith_files.plugins import load_plugins as load_plugins
    from regolith_files.problems import InputError as InputError
    from regolith_files.problems import Problem as Problem
    from regolith_files.problems import allowed_names as allowed_names
    from regolith_files.section import Section as Section
    from regolith_files.validation import validated as validated
    from regolith_files.yaml_source import YamlSource as YamlSource

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        'extension_points': (
            'BagReader',
            'Caption',
            'Citations',
            'CommandContext',
            'Figure',
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
        'file_library': ('FileLibrary',),
        'plugins': (
            'PluginError',
            'load_plugins',
        ),
        'problems': (
            'InputError',
            'Problem',
            'allowed_names',
        ),
        'section': ('Section',),
        'validation': ('validated',),
        'yaml_source': ('YamlSource',),
    },
)
