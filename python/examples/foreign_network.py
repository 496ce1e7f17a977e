"""foreign_network.py FOLDER: a network that PyTorch exports plays itself and a match."""
import subprocess, sys  # noqa: E401
import onnx
import torch
from carozero import Samples, program, verify

SIZE, PLANES, GLOBALS, out = 9, 12, 13, sys.argv[1]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.policy = torch.nn.Conv2d(PLANES, 16, 3, padding=1), torch.nn.Conv2d(16, 1, 1)
        self.value = torch.nn.Linear(16 + GLOBALS, 3)

    def forward(self, planes, scalars):
        x = self.body(planes).relu()
        return self.policy(x).flatten(1), self.value(torch.cat([x.mean((2, 3)), scalars], 1))


inputs, names = (torch.zeros(2, PLANES, SIZE, SIZE), torch.zeros(2, GLOBALS)), ["planes", "globals", "policy", "value"]
torch.onnx.export(Net().eval(), inputs, f"{out}/net.onnx", input_names=names[:2], output_names=names[2:], dynamic_axes={n: {0: "n"} for n in names})
model = onnx.load(f"{out}/net.onnx")
onnx.helper.set_model_props(model, {"carozero.planes": "gomoku-1"})
onnx.save(model, f"{out}/net.onnx")  # with the weights inside
board, net = ["--rule", "freestyle", "--size", str(SIZE)], f"model={out}/net.onnx"
subprocess.run([program.find(), "selfplay", *board, f"--{net}", "--games", "4", "--playouts", "30", "--out", f"{out}/games"], check=True)
print(verify(f"{out}/games"), sum(len(b["planes"]) for b in Samples(f"{out}/games", weights=False)), "rows")
subprocess.run([program.find(), "match", *board, "--a", f"mcts:playouts=30,{net}", "--b", "mcts:playouts=30,model=uniform", "--games", "4"], check=True)
