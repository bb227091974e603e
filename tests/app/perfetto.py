"""Perfetto traces, read by Google's protobuf from the published definitions of their messages
(protos/perfetto/trace of that project: trace.proto, trace_packet.proto, clock_snapshot.proto, track_event/*.proto)."""
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FIELD = descriptor_pb2.FieldDescriptorProto
TEXT, WHOLE, SIGNED = FIELD.TYPE_STRING, FIELD.TYPE_UINT64, FIELD.TYPE_INT64
MESSAGES = {
    "Clock": [("clock_id", 1, FIELD.TYPE_UINT32), ("timestamp", 2, WHOLE)],
    "ClockSnapshot": [("clocks", 1, "Clock*"), ("primary_trace_clock", 2, FIELD.TYPE_INT32)],
    "CounterDescriptor": [("unit", 3, FIELD.TYPE_INT32), ("unit_name", 6, TEXT), ("y_axis_share_key", 7, TEXT)],
    "TrackDescriptor": [("uuid", 1, WHOLE), ("name", 2, TEXT), ("parent_uuid", 5, WHOLE),
                        ("counter", 8, "CounterDescriptor"), ("child_ordering", 11, FIELD.TYPE_INT32),
                        ("sibling_order_rank", 12, FIELD.TYPE_INT32), ("sibling_merge_behavior", 15, FIELD.TYPE_INT32)],
    "DebugAnnotation": [("uint_value", 3, WHOLE), ("string_value", 6, TEXT), ("name", 10, TEXT)],
    "TrackEvent": [("debug_annotations", 4, "DebugAnnotation*"), ("type", 9, FIELD.TYPE_INT32), ("track_uuid", 11, WHOLE),
                   ("categories", 22, "*string"), ("name", 23, TEXT), ("counter_value", 30, SIGNED),
                   ("flow_ids", 47, "*fixed64"), ("terminating_flow_ids", 48, "*fixed64")],
    "TracePacket": [("clock_snapshot", 6, "ClockSnapshot"), ("timestamp", 8, WHOLE),
                    ("trusted_packet_sequence_id", 10, FIELD.TYPE_UINT32), ("track_event", 11, "TrackEvent"),
                    ("timestamp_clock_id", 58, FIELD.TYPE_UINT32), ("track_descriptor", 60, "TrackDescriptor")],
    "Trace": [("packet", 1, "TracePacket*")],
}
REPEATED = {"*string": TEXT, "*fixed64": FIELD.TYPE_FIXED64}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
REALTIME, MONOTONIC = 1, 3


def _trace_type():
    file = descriptor_pb2.FileDescriptorProto(name="trace.proto", package="t", syntax="proto2")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            repeated = isinstance(kind, str) and "*" in kind
            added = message.field.add(name=field, number=number,
                                      label=FIELD.LABEL_REPEATED if repeated else FIELD.LABEL_OPTIONAL)
            if kind in REPEATED:
                added.type = REPEATED[kind]
            elif isinstance(kind, str):
                added.type, added.type_name = FIELD.TYPE_MESSAGE, ".t." + kind.rstrip("*")
            else:
                added.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    descriptor = pool.FindMessageTypeByName("t.Trace")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)


class Slice:
    """Of a track: `end` is None where it goes on."""

    def __init__(self, event, begin):
        self.name, self.category = event.name, event.categories[0]
        self.track, self.begin, self.end = event.track_uuid, begin, None
        self.makes, self.takes = list(event.flow_ids), list(event.terminating_flow_ids)
        self.notes = {note.name: note.uint_value for note in event.debug_annotations}


class Trace:
    """Raises AssertionError for what a viewer could not show."""

    def __init__(self, data):
        message = _trace_type()()
        message.ParseFromString(data)
        message.DiscardUnknownFields()
        assert message.ByteSize() == len(data), "fields that nobody knows"
        self.clocks, self.tracks, self.slices, self.counters, self.marks = [], {}, [], {}, []
        for packet in message.packet:
            assert packet.trusted_packet_sequence_id == 1
            if packet.HasField("clock_snapshot"):
                self.clocks.append({clock.clock_id: clock.timestamp for clock in packet.clock_snapshot.clocks})
            elif packet.HasField("track_descriptor"):
                track = packet.track_descriptor
                assert track.uuid not in self.tracks, "described twice"
                self.tracks[track.uuid] = track
            else:
                self._event(packet)
        open_ones = {}
        for slice_ in sorted(self.slices, key=lambda one: (one.track, one.begin)):
            last = open_ones.get(slice_.track)
            assert last is None or (last.end is not None and last.end <= slice_.begin), "two slices at once"
            open_ones[slice_.track] = slice_

    def _event(self, packet):
        event = packet.track_event
        assert event.track_uuid in self.tracks, "an event without a track"
        assert packet.timestamp_clock_id == MONOTONIC
        if event.type == BEGIN:
            self.slices.append(Slice(event, packet.timestamp))
        elif event.type == END:
            last = next(one for one in reversed(self.slices) if one.track == event.track_uuid)
            assert last.end is None and packet.timestamp >= last.begin, "an end without a beginning"
            last.end = packet.timestamp
        elif event.type == COUNTER:
            assert self.tracks[event.track_uuid].HasField("counter"), "a counter without a unit"
            self.counters.setdefault(self.tracks[event.track_uuid].name, []).append((packet.timestamp, event.counter_value))
        else:
            assert event.type == INSTANT
            self.marks.append((event.name, packet.timestamp))

    def named(self, name):
        return [one for one in self.slices if one.name == name]

    def track_of(self, slice_):
        return self.tracks[slice_.track].name

    def pipelines(self):
        return {uuid: track.name for uuid, track in self.tracks.items() if not track.parent_uuid}


def read(path):
    return Trace(path.read_bytes())
