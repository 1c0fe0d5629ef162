import pytest
import torch

from td_cuda import cuda_graph_availability, machine_support


def test_without_a_cuda_build(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", None)
    assert machine_support() == (False, f"torch {torch.__version__} is built without CUDA")
    assert cuda_graph_availability() == machine_support()


def test_without_a_device(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert machine_support() == (False, "torch finds no usable CUDA device")


def test_with_a_device_it_still_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert machine_support() == (True, "")
    assert cuda_graph_availability() == (
        False,
        "CUDA graphs work on this machine, but this td-cuda does not wrap functions yet",
    )


@pytest.mark.gpu
def test_on_a_machine_with_a_gpu():
    assert machine_support().ok == torch.cuda.is_available()
