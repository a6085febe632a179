"""Tensors of PyTorch; see arrays.py."""

import torch

from __main__ import tell


def of_torch(tensor):
    size = tensor.element_size()
    return {
        "kind": "torch-tensor",
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype).split(".")[1],
        "strides": [stride * size for stride in tensor.stride()],
        "data_mapped": True if tensor.numel() else None,
        "by_form": True,
    }


def torch_types(then):
    float32, float64, float16 = torch.zeros(2, 3), torch.zeros(4, dtype=torch.float64), torch.zeros(1, 1).half()
    bfloat16 = torch.zeros(5).bfloat16()
    int8, int16, int32, int64 = (torch.zeros(3).to(kind) for kind in (
        torch.int8, torch.int16, torch.int32, torch.int64))
    uint8, boolean = torch.zeros(3, dtype=torch.uint8), torch.tensor([True])
    complex64, complex128 = torch.zeros(2, dtype=torch.complex64), torch.zeros(2, dtype=torch.complex128)
    tell(**{name: of_torch(tensor) for name, tensor in locals().items() if name != "then"})
    then()


def torch_shapes(then):
    scalar, empty, empty_matrix = torch.tensor(3), torch.zeros(0), torch.zeros(0, 3)
    rank5, rank6, rank12 = torch.zeros(1, 2, 3, 4, 5), torch.zeros(1, 2, 1, 2, 1, 3), torch.zeros([1] * 12)
    base = torch.zeros(4, 5, 6)
    transposed, strided, expanded = base.permute(2, 0, 1), base[1:, ::2, 3:], torch.zeros(1, 3).expand(1000, 3)
    offset = torch.arange(20)[3::2]
    channels_last = torch.zeros(2, 3, 4, 4).to(memory_format=torch.channels_last)
    parameter, watched = torch.nn.Parameter(torch.zeros(5, 6)), torch.zeros(2, requires_grad=True)
    result = watched * 2
    detached, viewed = result.detach(), base.view(-1, 2)
    tell(**{name: of_torch(tensor) for name, tensor in locals().items() if name != "then"})
    then()


def torch_others(then):
    """Tensors whose shape is kept elsewhere, or whose elements are nowhere."""
    sparse = torch.zeros(3, 3).to_sparse()
    nowhere = torch.zeros(2, 7, device="meta")
    tell(sparse=None)
    tell(nowhere={"kind": "torch-tensor", "shape": [2, 7], "dtype": "float32", "data_mapped": None})
    then()


CALLS = {"torch_tensors.all": [torch_types, torch_shapes, torch_others]}
