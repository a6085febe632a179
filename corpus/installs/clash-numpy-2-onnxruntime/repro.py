import numpy as np
import onnx
from onnx import TensorProto, helper
import onnxruntime as ort

node = helper.make_node("Add", ["a", "b"], ["c"])
value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [3])
graph = helper.make_graph([node], "g", [value("a"), value("b")], [value("c")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
print(session.run(None, {"a": np.ones(3, np.float32), "b": np.ones(3, np.float32)}))
