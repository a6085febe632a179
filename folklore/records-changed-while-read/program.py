import tensorflow as tf

with tf.io.TFRecordWriter("rows.tfrecord") as writer:
    for n in range(20_000):
        writer.write(bytes(100))
rows = iter(tf.data.TFRecordDataset("rows.tfrecord"))
next(rows)
with open("rows.tfrecord", "r+b") as file:
    file.seek(1_000_000)
    file.write(bytes(range(256)) * 100)
print(sum(1 for _ in rows))
