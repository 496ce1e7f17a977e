"""Writes dynamo.onnx beside this file: a small network as PyTorch's default exporter
makes it, which computes the policy's shape from the board's sides.

    PYTHONPATH=../../../train python dynamo.py    (needs torch 2.15 or later, onnxscript, onnx)

Beside it goes dynamo.txt: the digest of its weights, and what PyTorch itself computes
for one position of 7x7 of ones and globals of a half.
"""

import pathlib

import onnx
import torch
from torch import nn

from carozero_train.metadata import WEIGHTS as KEY
from carozero_train.metadata import weights_digest

PLANES, GLOBALS, FILTERS = 12, 13, 6


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(PLANES, FILTERS, 3, padding=1)
        self.bias = nn.Linear(GLOBALS + 2 * FILTERS, FILTERS)
        self.policy = nn.Conv2d(FILTERS, 1, 1)
        self.value = nn.Linear(2 * FILTERS, 3)

    def forward(self, planes, scalars):
        x = self.stem(planes).relu()
        pooled = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)
        x = (x + self.bias(torch.cat([scalars, pooled], 1))[:, :, None, None]).relu()
        pooled = torch.cat([x.mean((2, 3), keepdim=True), x.amax((2, 3), keepdim=True)], 1)
        return self.policy(x).flatten(1), self.value(pooled.flatten(1))


def main():
    here = pathlib.Path(__file__).parent
    torch.manual_seed(5)
    net = Net().eval()
    n, h, w = (torch.export.Dim(name, min=1, max=most) for name, most in (("n", 4096), ("h", 64), ("w", 64)))
    program = torch.onnx.export(
        net,
        (torch.zeros(2, PLANES, 9, 9), torch.zeros(2, GLOBALS)),
        input_names=["planes", "globals"],
        output_names=["policy", "value"],
        dynamic_shapes=({0: n, 2: h, 3: w}, {0: n}),
    )
    model = onnx.ModelProto.FromString(program.model_proto.SerializeToString())
    for part in [model.graph, *model.graph.node, *model.graph.input, *model.graph.output, *model.graph.initializer]:
        part.ClearField("doc_string")
        part.ClearField("metadata_props")  # where in which source each operator comes from
    del model.graph.value_info[:]
    properties = {"carozero.planes": "gomoku-1", "carozero.run": f"torch {torch.__version__}"}
    onnx.helper.set_model_props(model, {**properties, KEY: weights_digest(model)})
    onnx.checker.check_model(model)
    onnx.save(model, here / "dynamo.onnx")
    with torch.no_grad():
        policy, value = net(torch.ones(1, PLANES, 7, 7), torch.full((1, GLOBALS), 0.5))
    numbers = " ".join(f"{x:.6f}" for x in [*policy[0].tolist(), *value[0].tolist()])
    (here / "dynamo.txt").write_text(f"{weights_digest(model)}\n{numbers}\n")


if __name__ == "__main__":
    main()
