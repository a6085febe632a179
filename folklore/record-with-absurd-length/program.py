import struct

import tensorflow as tf


def masked_checksum(data):
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = (state >> 1) ^ (0x82F63B78 & -(state & 1))
    state ^= 0xFFFFFFFF
    return ((state >> 15 | state << 17) + 0xA282EAD8) & 0xFFFFFFFF


length = struct.pack("<Q", 1 << 50)
with open("rows.tfrecord", "wb") as file:
    file.write(length + struct.pack("<I", masked_checksum(length)) + bytes(100))
for row in tf.data.TFRecordDataset("rows.tfrecord"):
    print(len(row.numpy()))
