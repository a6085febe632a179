import numpy as np
import tensorflow as tf

rows = np.arange(12.0).reshape(3, 4)
odd = np.frombuffer(bytes(97), dtype=np.float64, count=12, offset=1).reshape(3, 4)
frozen = rows.copy()
frozen.flags.writeable = False
for array in [np.asfortranarray(rows), rows[::-1, ::-2], odd, frozen, np.broadcast_to(rows[0], (3, 4))]:
    print(float(tf.reduce_sum(tf.constant(array))))
