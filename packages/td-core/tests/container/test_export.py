"""torch.export with a batch size that depends on the input."""

import torch

from td_core import TensorDict


class Double(torch.nn.Module):
    def forward(self, x, y):
        return TensorDict({"x": x, "n": {"y": y * 2}}, batch_size=x.shape[0])


def test_export_keeps_the_batch_dynamic():
    batch = torch.export.Dim("batch", min=2, max=64)
    example = (torch.zeros(3, 5), torch.zeros(3, 5))
    program = torch.export.export(Double(), example, strict=False, dynamic_shapes={"x": {0: batch}, "y": {0: batch}})
    out = program.module()(torch.ones(7, 5), torch.ones(7, 5))
    assert out.batch_size == (7,)
    assert (out["x"] == 1).all()
    assert out["n"].batch_size == (7,)
    assert (out["n", "y"] == 2).all()
