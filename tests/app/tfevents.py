"""TensorBoard event files, read by Google's protobuf from the published definitions of their messages
(tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto, tensor.proto, tensor_shape.proto)."""
import struct

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FIELD = descriptor_pb2.FieldDescriptorProto
MESSAGES = {
    "Dim": [("size", 1, FIELD.TYPE_INT64, None)],
    "Shape": [("dim", 2, FIELD.TYPE_MESSAGE, "Dim*")],
    "Tensor": [("dtype", 1, FIELD.TYPE_INT32, None), ("tensor_shape", 2, FIELD.TYPE_MESSAGE, "Shape"),
               ("string_val", 8, FIELD.TYPE_BYTES, "*")],
    "PluginData": [("plugin_name", 1, FIELD.TYPE_STRING, None), ("content", 2, FIELD.TYPE_BYTES, None)],
    "Metadata": [("plugin_data", 1, FIELD.TYPE_MESSAGE, "PluginData")],
    "Value": [("tag", 1, FIELD.TYPE_STRING, None), ("simple_value", 2, FIELD.TYPE_FLOAT, None),
              ("tensor", 8, FIELD.TYPE_MESSAGE, "Tensor"), ("metadata", 9, FIELD.TYPE_MESSAGE, "Metadata")],
    "Summary": [("value", 1, FIELD.TYPE_MESSAGE, "Value*")],
    "Event": [("wall_time", 1, FIELD.TYPE_DOUBLE, None), ("step", 2, FIELD.TYPE_INT64, None),
              ("file_version", 3, FIELD.TYPE_STRING, None), ("summary", 5, FIELD.TYPE_MESSAGE, "Summary")],
}


def event_type():
    file = descriptor_pb2.FileDescriptorProto(name="event.proto", package="t", syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, of in fields:
            repeated = of is not None and of.endswith("*")
            added = message.field.add(name=field, number=number, type=kind,
                                      label=FIELD.LABEL_REPEATED if repeated else FIELD.LABEL_OPTIONAL)
            if of and of.rstrip("*"):
                added.type_name = ".t." + of.rstrip("*")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    descriptor = pool.FindMessageTypeByName("t.Event")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)


def masked_crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """The records of a file that may be cut; raises ValueError where a checksum is wrong."""
    at = 0
    while at + 12 <= len(data):
        length, crc = struct.unpack_from("<QI", data, at)
        if crc != masked_crc32c(data[at:at + 8]):
            raise ValueError(f"the length at byte {at} has another checksum")
        if at + 16 + length > len(data):
            return
        record = data[at + 12:at + 12 + length]
        if struct.unpack_from("<I", data, at + 12 + length)[0] != masked_crc32c(record):
            raise ValueError(f"the record at byte {at} has another checksum")
        yield record
        at += 16 + length


def read(path):
    kind = event_type()
    events = []
    for record in records(path.read_bytes()):
        event = kind()
        event.ParseFromString(record)
        if event.UnknownFields() if hasattr(event, "UnknownFields") else ():
            raise ValueError("fields that no event has")
        events.append(event)
    return events
