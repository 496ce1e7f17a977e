"""Devices and number types, the same for old and new PyTorch."""

from __future__ import annotations

import torch

from .errors import DataError, Usage


def pick_device(name: str) -> torch.device:
    """Returns the named device; "auto" is CUDA where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise Usage(f"--device {name!r}: want auto, cpu, cuda or cuda:N") from None
    if device.type not in ("cpu", "cuda"):
        raise Usage(f"--device {name!r}: want auto, cpu, cuda or cuda:N")
    if device.type == "cuda" and not torch.cuda.is_available():
        raise DataError(f"--device {name}: this PyTorch finds no CUDA device")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise DataError(f"--device {name}: there are {torch.cuda.device_count()} CUDA devices, from cuda:0 on")
    return device


def grad_scaler(enabled: bool):
    """Returns a gradient scaler for CUDA; older PyTorch has it elsewhere."""
    if hasattr(torch, "amp") and hasattr(torch.amp, "GradScaler"):
        return torch.amp.GradScaler("cuda", enabled=enabled)
    return torch.cuda.amp.GradScaler(enabled=enabled)
