# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bags: written here, read by others; damaged, made whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest
import synthetic_run
import yaml
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from regolith_bringup.bag import chunks
from regolith_bringup.bag.mcap_reader import is_closed, stored_messages
from regolith_bringup.bag.message_definitions import UnknownTypeError, schema_text, type_hash
from regolith_bringup.bag.reading import Bag
from regolith_bringup.bag.recorder import BagWriter, Schema, qos_profile
from regolith_bringup.bag.recover import RecoverError, recover
from regolith_files.problems import InputError


def text_message(text: str) -> bytes:
    """Return std_msgs/String as CDR."""
    data = text.encode() + b'\0'
    return b'\0\1\0\0' + len(data).to_bytes(4, 'little') + data


def write_bag(folder: Path, count: int, flush_every: int = 100) -> BagWriter:
    bag = BagWriter(folder)
    channel = bag.add_topic('/talk', 'std_msgs/msg/String', [qos_profile(latched=True)])
    for k in range(count):
        bag.write(channel, text_message(f'number {k}'), k * 1000, 10**18 + k, k + 1)
        if (k + 1) % flush_every == 0:
            bag.flush()
    return bag


def texts(folder: Path) -> list[str]:
    return [m.content.data for m in Bag(folder).messages('/talk')]


def test_rosbags_reads_it(tmp_path: Path) -> None:
    write_bag(tmp_path / 'bag', 250).close()
    with AnyReader([tmp_path / 'bag']) as reader:
        (connection,) = reader.connections
        read = [(t, reader.deserialize(raw, c.msgtype).data) for c, t, raw in reader.messages()]
        assert connection.msgtype == 'std_msgs/msg/String'
        assert connection.digest == type_hash('std_msgs/msg/String')
        assert connection.ext.offered_qos_profiles[0].durability.name == 'TRANSIENT_LOCAL'
    assert read == [(k * 1000, f'number {k}') for k in range(250)]


def test_mcap_reads_it_and_our_own_messages(run_dir: Path) -> None:
    with (run_dir / 'bag' / 'bag_0.mcap').open('rb') as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        assert reader.get_header().profile == 'ros2'
        cycles = [d for _, _, _, d in reader.iter_decoded_messages(topics=['/regolith/cycle'])]
    # 60 cycles, one of them twice, and STOP.
    assert len(cycles) == 62
    assert cycles[-1].command == 2
    assert list(cycles[0].participants) == ['amber', 'basalt', 'terrain']


def test_rosbags_reads_our_own_messages(run_dir: Path) -> None:
    with AnyReader([run_dir / 'bag']) as reader:
        chosen = [c for c in reader.connections if c.topic == '/regolith/terrain/committed']
        nodes = sum(len(reader.deserialize(raw, c.msgtype).nodes.x) for c, _, raw in reader.messages(chosen))
    assert nodes == 60 * 20


def test_metadata_is_what_rosbag2_expects(tmp_path: Path) -> None:
    write_bag(tmp_path / 'bag', 5).close()
    info = yaml.safe_load((tmp_path / 'bag' / 'metadata.yaml').read_text())['rosbag2_bagfile_information']
    assert info['version'] == 9
    assert info['storage_identifier'] == 'mcap'
    assert info['relative_file_paths'] == ['bag_0.mcap']
    assert info['message_count'] == 5
    assert info['duration']['nanoseconds'] == 4000
    (topic,) = info['topics_with_message_count']
    assert topic['message_count'] == 5
    assert topic['topic_metadata']['offered_qos_profiles'][0]['reliability'] == 'reliable'
    assert '&' not in (tmp_path / 'bag' / 'metadata.yaml').read_text(), 'YAML aliases are not for every reader'


def test_start_and_duration_are_those_of_the_messages_in_whatever_order_they_came(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'bag') as bag:
        channel = bag.add_topic('/talk', 'std_msgs/msg/String', [qos_profile()])
        for t_s in (7, 5, 9, 8):
            bag.write(channel, text_message('a'), t_s * 10**9, 0)
    info = yaml.safe_load((tmp_path / 'bag' / 'metadata.yaml').read_text())['rosbag2_bagfile_information']
    assert info['starting_time'] == {'nanoseconds_since_epoch': 5 * 10**9} and info['duration'] == {
        'nanoseconds': 4 * 10**9
    }
    assert (
        info['files'][0]['starting_time'] == info['starting_time'] and info['files'][0]['duration'] == info['duration']
    )
    with AnyReader([tmp_path / 'bag']) as reader:
        assert (reader.start_time, reader.duration) == (5 * 10**9, 4 * 10**9 + 1)  # its end is behind the last message


def test_messages_of_several_topics_are_read_in_the_order_they_were_written(tmp_path: Path) -> None:
    """As they lie in a chunk, which has an index of each topic of its own."""
    order = 'abbacabcca'
    with BagWriter(tmp_path / 'bag') as bag:
        channels = {name: bag.add_topic(f'/{name}', 'std_msgs/msg/String', [qos_profile()]) for name in 'cab'}
        for k, name in enumerate(order):
            bag.write(channels[name], text_message(name), 100, 0, k)
    with (tmp_path / 'bag' / 'bag_0.mcap').open('rb') as stream:
        summary = make_reader(stream).get_summary()
        assert summary is not None and chunks.is_indexed(summary)
        for wanted in ('abc', 'cb', 'a'):
            names = {
                channel.id: channel.topic[1:] for channel in summary.channels.values() if channel.topic[1:] in wanted
            }
            read = [(names[m.channel_id], m.sequence) for m in chunks.messages(stream, summary, names)]
            assert read == [(name, k) for k, name in enumerate(order) if name in wanted]


def test_definitions_and_hashes_agree_with_rosbags() -> None:
    """Rosbags derives type hashes from the definitions by itself (REP 2011)."""
    store = get_typestore(Stores.ROS2_JAZZY)
    for name in ('nav_msgs/msg/Odometry', 'sensor_msgs/msg/JointState', 'diagnostic_msgs/msg/DiagnosticArray'):
        assert type_hash(name) == store.hash_rihs01(name)
        assert set(part.split('\n')[1] for part in schema_text(name).split('=' * 80)[1:]) == set(
            part.split('\n')[1] for part in store.generate_msgdef(name, ros_version=2)[0].split('=' * 80)[1:]
        )
    with pytest.raises(UnknownTypeError, match='no_such_msgs'):
        schema_text('no_such_msgs/msg/Thing')


def test_types_that_are_not_installed_can_be_given(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'bag', {'my_msgs/msg/Word': Schema('string data')}, compression='none') as bag:
        bag.write(bag.add_topic('/talk', 'my_msgs/msg/Word'), text_message('hello'), 5, 6)
    assert texts(tmp_path) == ['hello']


@pytest.mark.parametrize('part', [0.35, 0.5, 0.9, 0.999])
def test_recover_keeps_every_chunk_before_the_damage(part: float, tmp_path: Path) -> None:
    write_bag(tmp_path / 'bag', 1000).close()
    path = tmp_path / 'bag' / 'bag_0.mcap'
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    (tmp_path / 'bag' / 'metadata.yaml').unlink()
    assert not is_closed(path)
    result = recover(tmp_path)
    read = texts(tmp_path)
    assert result.rebuilt and result.messages == len(read)
    assert len(read) % 100 == 0 and 0 < len(read) <= 1000
    assert read == [f'number {k}' for k in range(len(read))]
    assert is_closed(path)
    assert sorted(p.name for p in (tmp_path / 'bag').iterdir()) == ['bag_0.mcap', 'metadata.yaml']
    with AnyReader([tmp_path / 'bag']) as reader:
        assert reader.message_count == len(read)
    assert not recover(tmp_path).rebuilt


def varied_bag(folder: Path) -> BagWriter:
    """Two topics of different types, schemas and QoS, with alternating messages of different numbers."""
    given = {'my_msgs/msg/Word': Schema('string data', 'RIHS01_' + '5a' * 32)}
    bag = BagWriter(folder, given)
    profiles = [qos_profile(latched=True, depth=3), qos_profile(best_effort=True)]
    channels = [bag.add_topic('/said', 'my_msgs/msg/Word', profiles), bag.add_topic('/talk', 'std_msgs/msg/String')]
    for k in range(300):
        bag.write(channels[k % 2], text_message(f'number {k}'), 5_000 - 7 * k, 10**18 + 11 * k, 4_000_000_000 + k)
        if k % 100 == 99:
            bag.flush()
    return bag


def told(folder: Path) -> list[tuple]:
    """Return every message with all that a bag says of it, its topic and its type."""
    return [
        (
            s.name,
            s.encoding,
            s.data,
            c.topic,
            c.message_encoding,
            c.metadata,
            m.log_time,
            m.publish_time,
            m.sequence,
            m.data,
        )
        for s, c, m in stored_messages(folder / 'bag' / 'bag_0.mcap')
    ]


def test_a_recovered_bag_says_all_that_the_damaged_one_did(tmp_path: Path) -> None:
    """Field by field: schema, type hash, QoS, both times, number and content; and as a bag that was closed describes it."""
    varied_bag(tmp_path / 'cut' / 'bag').flush()
    varied_bag(tmp_path / 'closed' / 'bag').close()
    cut, closed = tmp_path / 'cut', tmp_path / 'closed'
    before = told(cut)
    assert len(before) == 300 and before == told(closed)
    assert 'transient_local' in before[0][5]['offered_qos_profiles'] and before[0][5]['topic_type_hash'].startswith(
        'RIHS01_5a'
    )
    assert recover(cut).rebuilt
    assert told(cut) == before
    metadata = [yaml.safe_load((run / 'bag' / 'metadata.yaml').read_text()) for run in (cut, closed)]
    assert metadata[0] == metadata[1]
    topics = metadata[0]['rosbag2_bagfile_information']['topics_with_message_count']
    assert [len(t['topic_metadata']['offered_qos_profiles']) for t in topics] == [2, 0]
    assert [m.publish_time_ns - m.log_time_ns for m in Bag(cut).messages('/talk')][:2] == [
        10**18 - 4993 + 11,
        10**18 - 4979 + 33,
    ]


def test_a_bag_without_metadata_is_not_whole(tmp_path: Path) -> None:
    """Its recorder was killed between index and metadata; players need both."""
    varied_bag(tmp_path / 'bag').close()
    metadata = (tmp_path / 'bag' / 'metadata.yaml').read_bytes()
    before = told(tmp_path)
    assert not recover(tmp_path).rebuilt, 'a whole bag is left alone'
    (tmp_path / 'bag' / 'metadata.yaml').unlink()
    assert is_closed(tmp_path / 'bag' / 'bag_0.mcap')
    done = recover(tmp_path / 'bag')
    assert (done.rebuilt, done.messages, done.path) == (True, 300, tmp_path / 'bag')
    assert (tmp_path / 'bag' / 'metadata.yaml').read_bytes() == metadata and told(tmp_path) == before
    again = recover(tmp_path)
    assert (again.rebuilt, again.messages) == (False, 300)


def spoil(path: Path, numbers: Sequence[int], what: str) -> None:
    """Damage chunks of a bag that was closed: a bit of what is in them, or their heads and all."""
    with path.open('rb') as stream:
        chunks = make_reader(stream).get_summary().chunk_indexes
    data = bytearray(path.read_bytes())
    for chunk in (chunks[number] for number in numbers):
        begin, end = chunk.chunk_start_offset, chunk.chunk_start_offset + chunk.chunk_length
        if what == 'a bit':
            data[end - 20] ^= 0x10
        else:
            data[begin:end] = b'\xa5' * chunk.chunk_length
    path.write_bytes(data)


@pytest.mark.parametrize('what', ['a bit', 'all of it'])
@pytest.mark.parametrize('numbers', [(0,), (3,), (3, 4, 9)])
def test_recover_keeps_what_stands_before_and_behind_the_damage(
    numbers: tuple[int, ...], what: str, tmp_path: Path
) -> None:
    """Also of a bag whose end is whole, which no glance at its end finds damaged; once done, there is nothing to do."""
    write_bag(tmp_path / 'bag', 1000).close()
    path = tmp_path / 'bag' / 'bag_0.mcap'
    spoil(path, numbers, what)
    assert is_closed(path)
    with pytest.raises(InputError, match=r'is damaged: .*allowed: .*regolith recover'):
        texts(tmp_path)
    found = recover(tmp_path)
    assert (found.rebuilt, found.lost_chunks, found.messages) == (True, len(numbers), 1000 - 100 * len(numbers))
    assert texts(tmp_path) == [f'number {k}' for k in range(1000) if k // 100 not in numbers]
    assert not recover(tmp_path).rebuilt


def test_recover_continues_after_a_flipped_bit_without_an_index(tmp_path: Path) -> None:
    write_bag(tmp_path / 'bag', 1000).close()
    path = tmp_path / 'bag' / 'bag_0.mcap'
    spoil(path, (3,), 'a bit')
    path.write_bytes(path.read_bytes()[:-50])
    found = recover(tmp_path)
    assert (found.messages, found.lost_chunks) == (900, 1)
    assert texts(tmp_path) == [f'number {k}' for k in range(1000) if k // 100 != 3]


def test_unreadable_metadata_are_rebuilt(tmp_path: Path) -> None:
    write_bag(tmp_path / 'bag', 200).close()
    (tmp_path / 'bag' / 'metadata.yaml').write_text('rosbag2_bagfile_information: [')
    with pytest.raises(RecoverError, match=r'metadata\.yaml: cannot be read: .*allowed: '):
        Bag(tmp_path)
    assert recover(tmp_path).rebuilt and len(texts(tmp_path)) == 200


def test_an_interrupted_recovery_can_be_repeated(tmp_path: Path) -> None:
    write_bag(tmp_path / 'bag', 300).flush()
    path = tmp_path / 'bag' / 'bag_0.mcap'
    path.rename(path.with_name('bag_0.mcap.damaged'))
    (tmp_path / 'bag' / '.recovering').mkdir()
    (tmp_path / 'bag' / '.recovering' / 'bag_0.mcap').write_bytes(b'half')
    assert recover(tmp_path).messages == 300


def test_nothing_to_recover(tmp_path: Path) -> None:
    with pytest.raises(RecoverError, match='contains no bag'):
        recover(tmp_path)
    (tmp_path / 'bag').mkdir()
    (tmp_path / 'bag' / 'bag_0.mcap').write_bytes(b'\x89MCAP0\r\n')
    with pytest.raises(RecoverError, match='has no readable message'):
        recover(tmp_path)
    assert (tmp_path / 'bag' / 'bag_0.mcap').exists(), 'the damaged file is all there is'


@pytest.mark.seconds
def test_a_killed_writer_loses_nothing_that_was_flushed(tmp_path: Path) -> None:
    script = (
        'import os, sys\nfrom pathlib import Path\n'
        f'sys.path.insert(0, {str(Path(__file__).parent)!r})\n'
        'from test_bag import write_bag\n'
        f'write_bag(Path({str(tmp_path / "bag")!r}), 950)\n'
        f'os.kill(os.getpid(), {int(signal.SIGKILL)})\n'
    )
    paths = os.pathsep.join(str(Path(p).resolve()) for p in sys.path if p)
    done = subprocess.run([sys.executable, '-c', script], env={**os.environ, 'PYTHONPATH': paths}, check=False)
    assert done.returncode == -signal.SIGKILL
    assert recover(tmp_path).messages == 900


def test_a_run_cut_off_is_readable_after_recovery(tmp_path: Path) -> None:
    run = synthetic_run.make_run(tmp_path / 'run', 10, close=False)
    assert not (run / 'bag' / 'metadata.yaml').exists()
    recover(run)
    assert Bag(run).topics['/regolith/cycle'].messages == 12


def test_memory_does_not_grow_with_the_number_of_chunks(tmp_path: Path) -> None:
    """And the index of the chunks is whole all the same: a reader that goes by it finds every message."""
    bag = BagWriter(tmp_path / 'bag')
    channels = [bag.add_topic(f'/talk_{k}', 'std_msgs/msg/String') for k in range(20)]

    def write(chunks: range) -> int:
        for chunk in chunks:
            for channel in channels:
                bag.write(channel, text_message(f'{chunk}'), chunk, chunk)
            bag.flush()
        return tracemalloc.get_traced_memory()[0]

    write(range(20))
    tracemalloc.start()
    try:
        before = write(range(20, 40))
        after = write(range(40, 440))
    finally:
        tracemalloc.stop()
    bag.close()
    # Of every chunk the library would keep an entry of some 50 bytes for each topic; two of its counters may grow by a word.
    assert (after - before) / 400 < 50.0
    with (tmp_path / 'bag' / 'bag_0.mcap').open('rb') as stream:
        reader = make_reader(stream)
        summary = reader.get_summary()
        assert summary is not None and [len(c.message_index_offsets) for c in summary.chunk_indexes] == [20] * 440
        found = [m.data for _, _, m in reader.iter_messages(topics=['/talk_7'])]
    assert found == [text_message(f'{k}') for k in range(440)]
    assert sorted(p.name for p in (tmp_path / 'bag').iterdir()) == ['bag_0.mcap', 'metadata.yaml']


@pytest.mark.parametrize('root', ['', '/here'])
def test_latched_topics_are_named_as_all_topics_are(tmp_path: Path, root: str) -> None:
    """From the root of the run, in whatever namespace it was."""
    bag = BagWriter(tmp_path / 'bag')
    latched, other = [qos_profile(latched=True)], [qos_profile(best_effort=True)]
    for topic, profiles in (('/regolith/cycle', other), ('/map', latched), ('/amber/odom', other)):
        bag.write(bag.add_topic(f'{root}{topic}', 'std_msgs/msg/String', profiles), text_message('x'), 0, 0, 1)
    bag.close()
    read = Bag(tmp_path)
    assert read.root == root and set(read.topics) == {'/regolith/cycle', '/map', '/amber/odom'}
    assert read.latched == {'/map'}
