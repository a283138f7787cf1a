package spec

import (
	"slices"
	"strings"
)

// keyHabits maps the names of keys in other tools and languages to those of a pool.
var keyHabits = map[string]string{
	"type": "item", "elem": "item", "element": "item", "struct": "item", "object": "item", "of": "item",
	"size": "block_size", "item_size": "block_size", "stride": "block_size",
	"page_size": "chunk_size", "slab_size": "chunk_size", "block": "block_size", "chunk": "chunk_size",
	"max": "limit", "max_size": "limit", "max_bytes": "limit", "maximum": "limit", "capacity": "limit", "cap": "limit", "quota": "limit",
	"reserve": "prime", "initial_size": "prime", "initial": "prime", "preallocate": "prime", "min_size": "prime",
	"thread_safe": "concurrency", "threadsafe": "concurrency", "lock": "concurrency", "locking": "concurrency", "threads": "concurrency", "sync": "concurrency",
	"strategy": "suballocator", "algorithm": "suballocator", "kind": "suballocator",
	"backend": "allocator", "memory": "allocator", "source": "allocator",
	"description": "doc", "comment": "doc", "documentation": "doc",
	"clear": "zero", "zeroed": "zero", "timeout": "wait_timeout", "arenas": "arena_size", "per_core": "magazine",
	"stream_wait": "across_streams", "cross_stream": "across_streams", "find": "lookup", "index": "lookup", "handles": "lookup", "handle": "lookup", "generations": "lookup",
	"streams": "ordering", "stream": "ordering", "gpu": "device", "gpus": "device", "on_error": "on_exhausted", "on_full": "on_exhausted",
	"pprof": "profile", "profiling": "profile", "heap_profile": "profile", "sampling": "profile",
	"guards": "guard", "guarded": "guard", "gwp_asan": "guard", "kfence": "guard", "sanitize": "guard", "asan": "guard",
	"nccl": "registered", "register": "registered", "registration": "registered", "rdma": "registered",
	"graph": "capture", "graphs": "capture", "cuda_graph": "capture", "captures": "capture",
	"adapter": "adapters", "interfaces": "adapters", "implements": "adapters", "grpc": "adapters", "arrow": "adapters", "writer": "adapters",
	"export": "exports", "cgo": "exports", "ffi": "exports", "c_shared": "exports", "shared_library": "exports", "pytorch": "exports", "torch": "exports",
}

// valueHabits maps the values in other tools to those of pool files, by key.
var valueHabits = map[string]map[string]string{
	"allocator": {
		"malloc": "host", "cpu": "host", "ram": "host", "system": "host", "mmap": "host", "go": "host",
		"cuda": "device", "gpu": "device", "vram": "device", "cuda_malloc": "device", "unified": "managed", "uvm": "managed",
		"page_locked": "pinned", "zero_copy": "pinned", "async": "device_async", "vmm": "device_virtual", "sparse": "texture_tile",
	},
	"suballocator": {
		"slab": "fixed", "freelist": "fixed", "free_list": "fixed", "block": "fixed", "item": "fixed", "buddy": "heap", "tlsf": "heap", "best_fit": "heap", "general": "heap",
		"arena": "bump", "linear": "bump", "stack": "bump", "frame": "bump", "circular": "ring", "fifo": "ring", "queue": "ring",
		"segregated": "classes", "size_classes": "classes", "buckets": "binned", "bins": "binned",
	},
	"concurrency": {
		"atomic": "sharded", "lock_free": "sharded", "lockfree": "sharded", "per_cpu": "sharded", "percpu": "sharded", "parallel": "sharded",
		"lock": "mutex", "locked": "mutex", "true": "mutex", "safe": "mutex", "rwmutex": "mutex", "false": "none", "unsafe": "none", "single": "none",
	},
	"growth":   {"2": "double", "doubling": "double", "exponential": "double", "geometric": "double", "pow2": "double", "linear": "fixed", "none": "fixed", "constant": "fixed"},
	"zero":     {"true": "always", "yes": "always", "false": "never", "no": "never", "none": "never", "once": "first"},
	"stats":    {"true": "counters", "on": "counters", "yes": "counters", "false": "off", "no": "off", "none": "off"},
	"ordering": {"none": "sync", "async": "stream", "streams": "stream", "ordered": "stream"},
	"a rung":   {"retry": "wait", "block": "wait", "fail": "error", "grow": "driver", "collect": "poll", "release": "trim", "shrink": "trim"},
}

// binHabits maps other names for the growth of bins.
var binHabits = map[string]string{"2": "pow2", "2.0": "pow2", "double": "pow2", "power_of_two": "pow2"}

// snake converts a word to the form of keys and values.
func snake(word string) string {
	return strings.ToLower(FileStem(strings.NewReplacer("-", "_", " ", "_").Replace(word)))
}

// choiceHelp proposes a legal value for an illegal one: by its name in other tools, by the key that has such a value, or by its spelling.
func choiceHelp(k *Key, word string) string {
	habits := valueHabits[k.Name]
	if k.Section == BinsSection {
		habits = binHabits
	}
	if meant := habits[snake(word)]; meant != "" {
		return "did you mean " + meant + "? legal: " + strings.Join(k.Values, ", ")
	}
	if nearest(word, k.Values) == "" {
		if owner := ownerOfValue(word); owner != "" && k.Section == PoolSection {
			return "it is a value of another key: write " + owner + ": " + word + "; legal here: " + strings.Join(k.Values, ", ")
		}
	}
	return didYouMean(word, k.Values)
}

// ownerOfValue returns the only key of a pool that has a word among its choices, or "".
func ownerOfValue(word string) string {
	owner := ""
	for i := range poolKeys {
		k := &poolKeys[i]
		switches := slices.Contains(k.Values, "true") // words of such a key are not what another one was meant to have
		if (k.Kind == ChoiceKind || k.Kind == MixedKind) && !switches && slices.Contains(k.Values, word) {
			if owner != "" {
				return ""
			}
			owner = k.Name
		}
	}
	return owner
}
