"""Batch renormalisation against its definition."""

import numpy as np
import pytest
import torch

from carozero_train.residual.renorm import Renorm, moments


def test_first_updates_are_batch_normalisation():
    torch.manual_seed(1)
    norm, plain = Renorm(3, 1.0), torch.nn.BatchNorm2d(3)
    for _ in range(5):
        x = torch.randn(4, 3, 5, 5) * 2 + 1
        torch.testing.assert_close(norm(x), plain(x))
    assert norm.updates == 5


def test_opened_bounds_train_the_function_that_is_played():
    torch.manual_seed(1)
    norm = Renorm(3, 1.0)
    for _ in range(Renorm.OPEN_TO + 1):
        norm(torch.randn(4, 3, 5, 5) * 2 + 1)
    x = torch.randn(4, 3, 9, 9) * 3 - 1  # unlike what the statistics know
    played = norm.eval()(x)
    trained = norm.train()(x)
    torch.testing.assert_close(trained, played, atol=1e-4, rtol=1e-4)
    assert abs(trained.mean()) > 0.5


def test_bounds_hold():
    norm = Renorm(1, 1.0)
    norm.updates.fill_(Renorm.OPEN_TO)
    r, d = norm._correction(torch.tensor([100.0]), torch.tensor([50.0]))
    assert (r.item(), d.item()) == (Renorm.MAX_R, Renorm.MAX_D)
    r, d = norm._correction(torch.tensor([-100.0]), torch.tensor([0.01]))
    assert (round(r.item(), 6), d.item()) == (round(1 / Renorm.MAX_R, 6), -Renorm.MAX_D)


def test_the_gradient_knows_the_batch():
    """As in batch normalisation, a shift or scale of the input has no effect
    on the loss through the normalised values, so its gradient is zero."""
    norm = Renorm(2, 1.0)
    x = torch.randn(3, 2, 4, 4, requires_grad=True)
    (norm(x) * torch.randn(3, 2, 4, 4)).sum().backward()
    torch.testing.assert_close(x.grad.sum((0, 2, 3)), torch.zeros(2), atol=1e-4, rtol=0)


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("kind, tolerance", [(torch.float32, 1e-5), (torch.bfloat16, 5e-4)])
def test_moments_are_those_of_numpy(layout, kind, tolerance):
    torch.manual_seed(1)
    x = (torch.randn(6, 5, 9, 7) * torch.arange(1, 6)[:, None, None] + 3).to(kind)
    mean, var = moments(x.contiguous(memory_format=layout))
    exact = x.double().numpy()
    assert mean.dtype == var.dtype == torch.float32
    np.testing.assert_allclose(mean, exact.mean((0, 2, 3)), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(var, exact.var((0, 2, 3)), rtol=tolerance)
