# Measures how long the memory pools of PyTorch or CuPy take, called from Python. The argument is "torch", "cupy" or "alone". The first line that it prints
# is "ready" with a version, or the reason why not. Then each line that it reads, "blocks" or "bytes", a number of threads and seconds, is answered by the
# time of one operation over all threads, in ns.
import random, sys, threading, time

LIVE, BLOCK, LEAST, OCTAVES, PIECE = 1000, 256, 4, 12, 64


def torch_calls():
    import torch

    torch.cuda.init()
    stream = torch.cuda.current_stream().cuda_stream
    take = getattr(torch._C, "_cuda_cudaCachingAllocator_raw_alloc", None)
    give = getattr(torch._C, "_cuda_cudaCachingAllocator_raw_delete", None)
    if take is None or give is None:  # what these two are wrapped in
        return torch.__version__, torch.cuda.caching_allocator_alloc, torch.cuda.caching_allocator_delete
    return torch.__version__, lambda n: take(n, stream), give


def cupy_calls():
    import cupy

    pool = cupy.cuda.MemoryPool()
    pool.malloc(BLOCK)
    return cupy.__version__, pool.malloc, lambda memory: None  # freed when nobody refers to it


def alone_calls():
    return sys.version.split()[0], lambda n: abs(n), abs


def main(name):
    try:
        version, take, give = {"torch": torch_calls, "cupy": cupy_calls, "alone": alone_calls}[name]()
    except Exception as e:
        print(" ".join(str(e).split()) or repr(e), flush=True)
        return
    print("ready", version, flush=True)
    loads = {}

    # Each thread does one piece at least, even if it starts when its time is over: a rate of 0 is none.
    def churn(i, stop):
        blocks, sizes = loads[i]
        done = 0
        while done == 0 or time.perf_counter() < stop:
            for _ in range(PIECE):
                slot = sizes[done % len(sizes)][0]
                give(blocks[slot])
                blocks[slot] = None
                blocks[slot] = take(sizes[done % len(sizes)][1])
                done += 1
        return done

    def pairs(i, stop):
        done = 0
        while done == 0 or time.perf_counter() < stop:
            for _ in range(PIECE):
                give(take(BLOCK))
            done += PIECE
        return done

    for line in sys.stdin:
        kind, threads, seconds = line.split()
        for i in range(int(threads)):
            if kind == "bytes" and i not in loads:
                draw = random.Random(i)
                sizes = [(draw.randrange(LIVE), int(2 ** (LEAST + OCTAVES * draw.random()))) for _ in range(1 << 14)]
                loads[i] = [take(n) for _, n in sizes[:LIVE]], sizes
        rates = [0.0] * int(threads)

        def work(i):
            start = time.perf_counter()
            done = (churn if kind == "bytes" else pairs)(i, start + float(seconds))
            rates[i] = done / (time.perf_counter() - start)

        workers = [threading.Thread(target=work, args=(i,)) for i in range(int(threads))]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        print(1e9 / sum(rates), flush=True)


main(sys.argv[1])
