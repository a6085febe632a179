"""Tensors and variables of TensorFlow and Keras; see arrays.py."""

import numpy as np
import tensorflow as tf

from __main__ import tell


def of_eager(tensor):
    name = tensor.dtype.name
    empty = 0 in tensor.shape
    expected = {"kind": "eager-tensor", "shape": list(tensor.shape), "dtype": name, "by_form": True}
    if name not in ("resource", "variant"):
        expected["data_mapped"] = None if empty else True
    return expected


def of_graph(tensor, kind="symbolic-tensor"):
    shape = tensor.shape
    rank = shape.rank if hasattr(shape, "rank") else len(shape)
    dtype = getattr(tensor.dtype, "name", tensor.dtype)
    return {"kind": kind, "shape": None if rank is None else list(shape), "dtype": dtype}


def of_variable(variable):
    return of_graph(variable, "tensorflow-variable")


def eager_types(then):
    float32, float64, float16 = tf.zeros([2, 3]), tf.zeros([4], tf.float64), tf.zeros([1, 1], tf.float16)
    bfloat16 = tf.cast([1.0, 2.0], tf.bfloat16)
    int8, int16, int32, int64 = (tf.zeros([3], kind) for kind in (tf.int8, tf.int16, tf.int32, tf.int64))
    uint8, uint16, uint32, uint64 = (tf.zeros([2, 2], kind) for kind in (tf.uint8, tf.uint16, tf.uint32, tf.uint64))
    boolean = tf.constant([True, False])
    complex64, complex128 = tf.zeros([2], tf.complex64), tf.zeros([2], tf.complex128)
    text, texts, no_texts = tf.constant("abc"), tf.constant([["a", "b" * 100]]), tf.zeros([0, 2], tf.string)
    qint8, quint8, qint32 = (tf.bitcast(tf.zeros([5], source), kind) for source, kind in (
        (tf.int8, tf.qint8), (tf.uint8, tf.quint8), (tf.int32, tf.qint32)))
    variant = tf.raw_ops.EmptyTensorList(element_shape=[2], max_num_elements=4, element_dtype=tf.float32)
    resource = tf.Variable([1.0]).handle
    tell(**{name: of_eager(tensor) for name, tensor in locals().items() if name != "then"})
    then()


def eager_shapes(then):
    scalar, vector, number = tf.constant(1.5), tf.constant([1, 2, 3]), tf.constant(7)
    matrix, rank6 = tf.constant(np.zeros((3, 4))), tf.zeros([1, 2, 3, 4, 5, 6])
    rank7, rank8 = tf.zeros([1, 2, 1, 2, 1, 2, 3]), tf.ones([2] * 8, tf.int32)
    rank20, rank40 = tf.zeros([1] * 20), tf.zeros([1] * 40)
    long_vector, longer = tf.zeros([65534], tf.int8), tf.zeros([65535], tf.int8)
    past_16_bits, wide = tf.zeros([70000], tf.int8), tf.zeros([2, 70000], tf.int8)
    wide_rank4 = tf.zeros([1, 1, 70000, 2], tf.int8)
    past_32_bits = tf.zeros([2**33, 0], tf.int8)
    empty, empty_of_list, empty_of_numpy = tf.zeros([0]), tf.constant([]), tf.constant(np.zeros((0, 3), "f4"))
    empty_integers, empty_matrix, empty_rank4 = tf.zeros([0], tf.int32), tf.zeros([3, 0]), tf.zeros([0, 1, 0, 2])
    empty_slice = tf.zeros([5, 4])[2:2]
    tell(**{name: of_eager(tensor) for name, tensor in locals().items() if name != "then"})
    then()


@tf.function
def traced(first, second):
    return tf.matmul(first, second), tf.shape(first)


def eager_results(then):
    added = tf.zeros([5]) + 1
    product, shape = traced(tf.ones([3, 4]), tf.ones([4, 2]))
    sliced, reshaped = tf.zeros([6, 7])[1:3], tf.reshape(tf.range(12), [3, 4])
    rows = tf.unstack(tf.ones([3, 2]))[1]
    shared = tf.identity(reshaped)
    from_dataset = next(iter(tf.data.Dataset.from_tensor_slices(np.zeros((4, 8, 8, 3), "u1")).batch(2)))
    from_variable = tf.Variable(tf.zeros([2, 9])).read_value()
    from_python = tf.py_function(lambda: np.float64(1), [], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(product)
        loss = tf.reduce_sum(product * product)
    gradient = tape.gradient(loss, product)
    tell(**{name: of_eager(tensor) for name, tensor in locals().items() if name not in ("then", "tape")})
    then()


def eager_later(then):
    """Values that have not come yet, or never will, have no shape; those that came have one."""
    context = tf.config.experimental
    context.set_synchronous_execution(False)
    came = tf.zeros([3, 2]) + 1
    came.numpy()

    @tf.function
    def slow(start):
        return tf.while_loop(lambda count, _: count < 3000000, lambda count, x: (count + 1, x + 1.0), [0, start])[1]

    pending = slow(tf.zeros([7]))
    not_yet = pending + 2.0
    pending_integers = tf.cast(not_yet, tf.int32)
    tell(came=of_eager(came), not_yet=None, pending_integers=None)
    then()


def eager_failed(then):
    context = tf.config.experimental
    context.set_synchronous_execution(False)
    failed = tf.raw_ops.Reshape(tensor=tf.zeros([6]), shape=tf.constant([4, 5]))
    try:
        failed.numpy()
    except tf.errors.OpError:
        tf.experimental.async_clear_error()
    context.set_synchronous_execution(True)
    tell(failed=None)
    then()


def variables(then):
    matrix, scalar = tf.Variable(tf.zeros([3, 4])), tf.Variable(2, dtype=tf.int64)
    open_shape = tf.Variable(tf.zeros([2, 3]), shape=[None, 3])
    any_shape = tf.Variable(tf.zeros([2, 3], tf.float16), shape=tf.TensorShape(None))
    assigned = tf.Variable([1.0, 2.0])
    assigned.assign_add([1.0, 1.0])
    text, boolean, half = tf.Variable("a"), tf.Variable([[True]]), tf.Variable(tf.zeros([0], tf.bfloat16))
    layer = tf.keras.layers.Dense(3)
    layer(tf.zeros([1, 2]))
    kernel, bias = layer.kernel, layer.bias
    tell(**{name: of_variable(variable) for name, variable in locals().items() if name not in ("then", "layer")})
    then()


def graphs(then):
    signature = [tf.TensorSpec([None, 3], tf.int32), tf.TensorSpec(None, tf.float64)]

    # Autograph would run a copy of the function that has other variables.
    @tf.function(input_signature=signature, autograph=False)
    def symbolic(rows, unknown):
        doubled, flat = rows * 2, tf.reshape(rows, [-1])
        fixed, number = tf.zeros([2, 5]) + tf.random.uniform([2, 5]), tf.size(rows)
        untouched = rows - 1
        tell(**{name: of_graph(tensor) for name, tensor in locals().items() if name not in ("untouched", "then")})
        # Nobody has asked for its shape yet, so Python does not have it.
        tell(untouched={"kind": "symbolic-tensor", "dtype": "int32"})
        with tf.init_scope():
            then()
        return doubled

    symbolic(tf.zeros([2, 3], tf.int32), tf.zeros([1], tf.float64))


def keras(then):
    given = tf.keras.Input((5,))
    image = tf.keras.Input((None, 28, 3), dtype="uint8", batch_size=4)
    hidden = tf.keras.layers.Dense(3)(given)
    tell(**{name: of_graph(tensor) for name, tensor in locals().items() if name != "then"})
    then()


CALLS = {
    "tensors.eager": [eager_types, eager_shapes, eager_results],
    "tensors.later": [eager_failed, eager_later],
    "tensors.declared": [variables, keras, graphs],
}
