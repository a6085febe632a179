"""Makes `op_definitions.txt` from installed versions of TensorFlow.

    PYTHON collect_definitions.py list > ops-VERSION.pb        once with an interpreter of each version, oldest first
    PYTHON collect_definitions.py merge ops-*.pb               writes the file into this folder

A line is an op: its name, the versions that have it (one bit each, the oldest first), its inputs, its outputs, its
attributes; tabs between them, blanks within them. Of a definition that changed the newest is kept.

An input or output is `[count*]type`: `=1` is the type of that number, `T` that of the attribute, `@T` a list of types;
the count is an attribute. A `&` in front marks a reference. Outputs have their name and a `/` before that. An attribute is `name:type`, with `?` where it has a
default, and `{…}` where only those types are allowed.
"""

import os
import sys

CODES = {"string": "s", "int": "i", "float": "f", "bool": "b", "type": "t", "shape": "h", "tensor": "n", "func": "F"}


def argument(arg):
    if arg.type_list_attr:
        text = "@" + arg.type_list_attr
    elif arg.type_attr:
        text = arg.type_attr
    else:
        text = "=%d" % arg.type
    if arg.number_attr:
        text = arg.number_attr + "*" + text
    return ("&" if arg.is_ref else "") + text


def attribute(attr):
    kind = attr.type
    code = "L" + CODES[kind[5:-1]] if kind.startswith("list(") else CODES[kind]
    text = attr.name + ":" + code
    if attr.HasField("default_value"):
        text += "?"
    if attr.allowed_values.list.type:
        text += "{%s}" % ",".join(str(number) for number in attr.allowed_values.list.type)
    return text


def main():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    from tensorflow.core.framework import op_def_pb2

    if sys.argv[1] == "list":
        from tensorflow.python.client import pywrap_tf_session

        sys.stdout.buffer.write(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
        return
    lines, versions = {}, []
    for bit, path in enumerate(sys.argv[2:]):
        versions.append(os.path.basename(path)[4:-3])
        ops = op_def_pb2.OpList()
        with open(path, "rb") as file:
            ops.ParseFromString(file.read())
        for op in ops.op:
            mask = lines.get(op.name, (0,))[0] | 1 << bit
            lines[op.name] = (
                mask,
                " ".join(argument(arg) for arg in op.input_arg),
                " ".join(arg.name + "/" + argument(arg) for arg in op.output_arg),
                " ".join(attribute(attr) for attr in op.attr),
            )
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "op_definitions.txt"), "w") as file:
        file.write("# Made by collect_definitions.py from tensorflow-cpu.\n")
        file.write("versions " + " ".join(versions) + "\n")
        for name, (mask, inputs, outputs, attributes) in sorted(lines.items()):
            file.write("\t".join([name, "%x" % mask, inputs, outputs, attributes]) + "\n")


main()
