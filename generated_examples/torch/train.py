"""Three kinds of work, with each way of PyTorch to manage memory, and with the pools: time of a step, and memory.

  python3 train.py                   all, a process for each, and a table
  python3 train.py gpt pools         one of them
  python3 train.py gpt pools 9700    one of them, with a limit in MB of 10^6
"""
import ctypes, os, random, re, statistics, subprocess, sys, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "libtorchpools.so")
MODES = {  # what PYTORCH_CUDA_ALLOC_CONF is
    "default": "",
    "expandable_segments": "expandable_segments:True",
    "cudaMallocAsync": "backend:cudaMallocAsync",
    "pools": "",
}
STEPS, WARM = 35, 5


class Pools:
    """The pools of the library: the allocator of PyTorch from now on, and their figures."""

    def __init__(self, torch):
        allocator = torch.cuda.memory.CUDAPluggableAllocator(LIBRARY, "torch_alloc", "torch_free")
        torch.cuda.memory.change_current_allocator(allocator)  # before the first use of the device
        self.library = ctypes.CDLL(LIBRARY)
        self.library.tensor_error.restype = ctypes.c_char_p
        self.library.tensor_trim.restype = ctypes.c_int64
        self.library.tensor_trim.argtypes = [ctypes.c_int, ctypes.c_int64]
        self.library.tensor_set_limit.argtypes = [ctypes.c_int, ctypes.c_int64]
        with open(os.path.join(HERE, "poolgen.h")) as header:
            fields = re.findall(r"int64_t (\w+);", header.read().split("} poolgen_stats;")[0])
        self.Stats = type("Stats", (ctypes.Structure,), {"_fields_": [(name, ctypes.c_int64) for name in fields]})

    def stats(self, device=0):
        s = self.Stats()
        if self.library.tensor_stats(device, ctypes.byref(s)):
            raise RuntimeError(self.library.tensor_error(None).decode())
        return s

    def limit(self, bytes, device=0):
        if self.library.tensor_set_limit(device, bytes):
            raise RuntimeError(self.library.tensor_error(None).decode())

    def trim(self, device=0, keep=0):  # what torch.cuda.empty_cache does
        released = self.library.tensor_trim(device, keep)
        if released < 0:
            raise RuntimeError(self.library.tensor_error(None).decode())
        return released


def loop(step):
    """Returns the milliseconds of each step, and what the last one returned: a number, for which it waited."""
    times = []
    for i in range(STEPS):
        begun = time.perf_counter()
        last = step(i)
        times.append((time.perf_counter() - begun) * 1000)
    return times, last


def learn(torch, model, optimizer, loss):
    optimizer.zero_grad()
    with torch.autocast("cuda", torch.bfloat16):
        value = loss(model)
    value.backward()
    optimizer.step()
    return value.item()


def resnet(torch):
    """Trains ResNet-50: equal steps."""
    import torchvision

    model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = torch.randn(32, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(1000, (32,), device="cuda")
    loss = lambda model: torch.nn.functional.cross_entropy(model(images), labels)
    return loop(lambda i: learn(torch, model, optimizer, loss))


def gpt(torch):
    """Trains a transformer as large as GPT-2: batches have many lengths."""
    from torch import nn

    layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True, norm_first=True)
    model = nn.Sequential(nn.Embedding(50257, 768), nn.TransformerEncoder(layer, 12, enable_nested_tensor=False), nn.Linear(768, 50257)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    lengths = random.Random(1)

    def step(i):
        text = torch.randint(50257, (8, lengths.randrange(64, 1024)), device="cuda")
        return learn(torch, model, optimizer, lambda model: nn.functional.cross_entropy(model(text).flatten(0, 1), text.flatten()))

    return loop(step)


def vit(torch):
    """Serves ViT-B/16 on four streams, each of a thread: batches have many sizes."""
    import torchvision

    model = torchvision.models.vit_b_16().cuda().eval()
    model.heads = torch.nn.Identity()  # a new head answers 0

    def serve(seed, out):
        sizes, stream = random.Random(seed), torch.cuda.Stream()

        def step(i):
            images = torch.randn(sizes.randrange(1, 65), 3, 224, 224, pin_memory=True)
            with torch.inference_mode(), torch.cuda.stream(stream), torch.autocast("cuda", torch.bfloat16):
                return model(images.cuda(non_blocking=True)).float().abs().sum().item()

        out[seed] = loop(step)

    results = {}
    threads = [threading.Thread(target=serve, args=(seed, results)) for seed in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return [t for times, _ in results.values() for t in times[WARM:]], sum(last for _, last in results.values())


WORK = {"resnet": resnet, "gpt": gpt, "vit": vit}


def one(work, mode, limit=None):
    import torch

    pools = Pools(torch) if mode == "pools" else None
    if limit and pools:
        pools.limit(int(limit) * 10**6)
    elif limit:
        torch.cuda.set_per_process_memory_fraction(int(limit) * 10**6 / torch.cuda.mem_get_info()[1])
    torch.manual_seed(1)
    times, result = WORK[work](torch)
    if pools:
        s = pools.stats()
        live, reserved = s.peak_bytes, s.peak_reserved
    else:
        live, reserved = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
    print(f"{work:7} {mode:20} {statistics.median(times[WARM:]):8.2f} {live / 1e6:9.1f} {reserved / 1e6:9.1f} {reserved / live:6.3f} {result:12.4f}")
    if pools:
        torch.cuda.synchronize()
        pools.trim()
        print(f"{work:7} {'after a trim':20} {'':8} {pools.stats().live_bytes / 1e6:9.1f} {pools.stats().reserved / 1e6:9.1f}")


def main():
    if len(sys.argv) > 1:
        one(*sys.argv[1:])
        return
    print(f"{'':28} {'ms/step':>8} {'live MB':>9} {'reserved':>9} {'ratio':>6} {'result':>12}", flush=True)
    for work in WORK:
        for mode, conf in MODES.items():
            subprocess.run([sys.executable, __file__, work, mode], env=dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=conf), check=True)


main()
