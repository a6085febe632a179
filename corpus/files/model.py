"""The small models that the base files hold, and that a reader of bare weights needs."""


def dense(tf):
    entry = tf.keras.Input((16,), name="entry")
    hidden = tf.keras.layers.Dense(24, activation="relu", name="hidden")(entry)
    normal = tf.keras.layers.BatchNormalization(name="normal")(hidden)
    return tf.keras.Model(entry, tf.keras.layers.Dense(4, name="last")(normal))


def convolution(tf):
    entry = tf.keras.Input((12, 12, 3), batch_size=1)
    layers = tf.keras.layers
    wide = layers.Conv2D(6, 3, padding="same", activation="relu")(entry)
    deep = layers.DepthwiseConv2D(3)(wide)
    flat = layers.Flatten()(layers.MaxPool2D()(deep))
    return tf.keras.Model(entry, layers.Softmax()(layers.Dense(5)(flat)))


def recurrent(tf):
    entry = tf.keras.Input((6, 4), batch_size=1)
    states = tf.keras.layers.LSTM(5)(entry)
    return tf.keras.Model(entry, tf.keras.layers.Dense(3)(states))
