"""Trains a small model whose batches have many lengths, with each way of PyTorch to manage memory, and with the pools.

  python3 train.py            all of them, a process for each, and a table
  python3 train.py pools      one of them
"""
import ctypes, os, random, re, statistics, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "libtorchpools.so")
MODES = {  # what PYTORCH_CUDA_ALLOC_CONF is
    "default": "",
    "expandable_segments": "expandable_segments:True",
    "cudaMallocAsync": "backend:cudaMallocAsync",
    "pools": "",
}
STEPS, WARM = 40, 10


class Pools:
    """The pools of the library: the allocator of PyTorch from now on, and their figures."""

    def __init__(self, torch):
        allocator = torch.cuda.memory.CUDAPluggableAllocator(LIBRARY, "torch_alloc", "torch_free")
        torch.cuda.memory.change_current_allocator(allocator)  # before the first use of the device
        self.library = ctypes.CDLL(LIBRARY)
        self.library.tensor_error.restype = ctypes.c_char_p
        self.library.tensor_trim.restype = ctypes.c_int64
        self.library.tensor_trim.argtypes = [ctypes.c_int, ctypes.c_int64]
        with open(os.path.join(HERE, "poolgen.h")) as header:
            fields = re.findall(r"int64_t (\w+);", header.read().split("} poolgen_stats;")[0])
        self.Stats = type("Stats", (ctypes.Structure,), {"_fields_": [(name, ctypes.c_int64) for name in fields]})

    def stats(self, device=0):
        s = self.Stats()
        if self.library.tensor_stats(device, ctypes.byref(s)):
            raise RuntimeError(self.library.tensor_error(None).decode())
        return s

    def trim(self, device=0, keep=0):  # what torch.cuda.empty_cache does
        released = self.library.tensor_trim(device, keep)
        if released < 0:
            raise RuntimeError(self.library.tensor_error(None).decode())
        return released


def train(torch):
    """Returns the milliseconds of each step, and the last loss."""
    from torch import nn

    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True)
    model = nn.Sequential(nn.Embedding(8192, 512), nn.TransformerEncoder(layer, 6), nn.Linear(512, 8192)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    lengths, times = random.Random(1), []
    for _ in range(STEPS):
        begun = time.perf_counter()
        text = torch.randint(8192, (16, lengths.randrange(32, 1024)), device="cuda")
        loss = nn.functional.cross_entropy(model(text).flatten(0, 1), text.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        last = loss.item()  # waits for the device
        times.append((time.perf_counter() - begun) * 1000)
    return times, last


def one(mode):
    import torch

    pools = Pools(torch) if mode == "pools" else None
    times, loss = train(torch)
    if pools:
        s = pools.stats()
        live, reserved = s.peak_bytes, s.peak_reserved
    else:
        live, reserved = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
    print(f"{mode:20} {statistics.median(times[WARM:]):8.2f} {live / 1e6:10.1f} {reserved / 1e6:10.1f} {reserved / live:7.3f} {loss:10.5f}")
    if pools:
        torch.cuda.synchronize()
        print(f"trim returned {pools.trim() / 1e6:.1f} MB, and {pools.stats().reserved / 1e6:.1f} MB are left")


def main():
    if len(sys.argv) > 1:
        one(sys.argv[1])
        return
    print(f"{'':20} {'ms/step':>8} {'live MB':>10} {'reserved':>10} {'ratio':>7} {'loss':>10}", flush=True)
    for mode, conf in MODES.items():
        subprocess.run([sys.executable, __file__, mode], env=dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=conf), check=True)


main()
