import subprocess

import tensorflow as tf

source = "void _ZN10tensorflow8OfBeforeEv(void); void start(void) { _ZN10tensorflow8OfBeforeEv(); }"
with open("old_op.c", "w") as file:
    file.write(source)
subprocess.run(["gcc", "-shared", "-fPIC", "-o", "old_op.so", "old_op.c"], check=True)
tf.load_op_library("./old_op.so")
