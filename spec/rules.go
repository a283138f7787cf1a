package spec

import (
	"fmt"
	"slices"
)

// rules compare the values of a pool with each other. Each rule uses only values that could be read. Its finding is at the value that breaks it.
var rules = []struct {
	needs []string // keys whose values must be readable
	check func(*poolCheck)
}{
	{nil, (*poolCheck).checkShape},
	{nil, (*poolCheck).checkOrdering},
	{[]string{"alignment"}, (*poolCheck).checkAlignment},
	{[]string{"block_size", "alignment"}, (*poolCheck).checkBlock},
	{[]string{"chunk_size", "block_size", "alignment", "limit", "budget"}, (*poolCheck).checkChunk},
	{[]string{"limit", "chunk_size", "block_size", "alignment", "bins", "arena_size"}, (*poolCheck).checkLimit},
	{[]string{"limit", "max_limit"}, (*poolCheck).checkMaxLimit},
	{[]string{"limit", "max_limit"}, (*poolCheck).checkBelowLimit},
	{[]string{"limit", "guarantee"}, (*poolCheck).checkGuarantee},
	{[]string{"sleep", "reclaim"}, (*poolCheck).checkReclaim},
	{[]string{"limit", "budget", "sleep"}, (*poolCheck).checkSleep},
	{[]string{"bins", "chunk_size"}, (*poolCheck).checkBins},
	{[]string{"chunk_size"}, (*poolCheck).checkParts},
	{nil, (*poolCheck).checkRungs},
	{[]string{"device"}, (*poolCheck).checkDevices},
	{[]string{"driver_pool", "shareable"}, (*poolCheck).checkSharing},
	{nil, (*poolCheck).checkFunctions},
	{[]string{"lookup", "limit", "max_limit", "chunk_size", "block_size"}, (*poolCheck).checkLookup},
	{[]string{"adapters", "alignment", "concurrency"}, (*poolCheck).checkAdapters},
}

func (c *poolCheck) checkRules() {
	for _, rule := range rules {
		readable := true
		for _, key := range rule.needs {
			readable = readable && !c.bad[key]
		}
		if readable {
			rule.check(c)
		}
	}
}

// checkShape refuses allocators and suballocators that cannot be combined.
func (c *poolCheck) checkShape() {
	if p := c.p; p.Allocator == NoAllocator && p.Suballocator.Info().Direct {
		c.fail(codeCombination, c.at("suballocator"), "use suballocator: heap, or fixed for single numbers",
			"suballocator none passes each request to the allocator, and allocator none has no memory")
	}
}

// checkOrdering refuses ordering by streams if the allocator has none, and ordering by the driver if the driver does not have each block.
func (c *poolCheck) checkOrdering() {
	p := c.p
	lacking := slices.DeleteFunc(p.Allocators(), Allocator.FromDriverPool)
	switch {
	case p.ByDriver() && len(lacking) > 0:
		help := "use allocator: device_pool or device_async, or ordering: stream"
		if len(lacking) <= len(p.Others) {
			help = "leave " + enumerate(names(lacking...), "and") + " out, or use ordering: stream"
		}
		c.fail(codeCombination, c.at("ordering"), help, "ordering driver needs a memory pool of the driver, and allocator %s has none", lacking[0])
	case p.ByDriver() && p.Suballocator.Info().ByDriver == "":
		c.fail(codeCombination, c.at("ordering"), "use suballocator: none, or ordering: stream",
			"with ordering driver each block is an allocation of the driver, and suballocator %s cuts blocks out of chunks", p.Suballocator)
	case p.Streams() && !p.NeedsDriver():
		c.fail(codeOrdering, c.at("ordering"), "use ordering: sync, or allocator: pinned for host memory that a device works on",
			"ordering %s needs streams, and allocator %s takes sync only", p.Ordering, allocatorText(p))
	}
}

// checkBlock compares block_size with the item and the alignment.
func (c *poolCheck) checkBlock() {
	p := c.p
	n := c.nodes["block_size"]
	if !p.ItemForm() || p.Allocator == NoAllocator {
		return
	}
	switch {
	case n == nil && p.Item.Kind == ItemBytes && p.BlockSize == 0:
		c.fail(codeMissing, c.item, "add item: float32 or block_size: 4KiB", "suballocator fixed needs an item or block_size")
	case n == nil:
	case p.Allocator == TextureTile && p.BlockSize%TileBytes != 0:
		c.fail(codeBlockSize, n, "use block_size: "+FormatSize(roundUp(p.BlockSize, TileBytes)),
			"block_size %s is not a whole number of tiles of %s", FormatSize(p.BlockSize), FormatSize(TileBytes))
	case p.BlockSize < p.Item.Size && p.Item.Kind == ItemBuiltin:
		c.fail(codeBlockSize, n, fmt.Sprintf("use block_size: %s, or leave it out", FormatSize(p.Item.Size)),
			"block_size %s cannot hold an item of %d bytes", FormatSize(p.BlockSize), p.Item.Size)
	case p.Alignment > 0 && p.BlockSize%p.Alignment != 0:
		d := c.fail(codeBlockSize, n, fmt.Sprintf("use block_size: %s, or alignment: %d", FormatSize(roundUp(p.BlockSize, p.Alignment)), p.BlockSize&-p.BlockSize),
			"block_size %s is not a multiple of the alignment, %s", FormatSize(p.BlockSize), FormatSize(p.Alignment))
		if c.nodes["alignment"] == nil {
			d.Help += fmt.Sprintf("; %d is the default on a device", p.Alignment)
		}
	case p.Item.Align > 0 && p.BlockSize%p.Item.Align != 0:
		c.fail(codeBlockSize, n, "use block_size: "+FormatSize(roundUp(p.BlockSize, p.Item.Align)),
			"block_size %s is not a multiple of the item's alignment, %d", FormatSize(p.BlockSize), p.Item.Align)
	}
}

// checkAlignment compares alignment with the item and the chunk.
func (c *poolCheck) checkAlignment() {
	p := c.p
	n := c.nodes["alignment"]
	if n == nil {
		return
	}
	switch a := p.Alignment; {
	case a < 1 || a&(a-1) != 0:
		c.fail(codeAlignment, n, fmt.Sprintf("use alignment: %d", nextPowerOfTwo(a)), "alignment %d is not a power of two", a)
	case p.Item.Align > a:
		c.fail(codeAlignment, n, fmt.Sprintf("use alignment: %d, or leave it out", p.Item.Align), "alignment %d is below that of the item, %d", a, p.Item.Align)
	case a > maxGranule && p.Suballocator.Info().Heap:
		c.fail(codeAlignment, n, "use alignment: "+FormatSize(maxGranule)+" at most, or suballocator: "+enumerate(names(anyAligned...), "or"),
			"alignment %s is above the largest that suballocator %s keeps, %s", FormatSize(a), p.Suballocator, FormatSize(maxGranule))
	case p.ChunkSize > 0 && a > p.ChunkSize:
		c.fail(codeAlignment, n, "use chunk_size: "+FormatSize(roundUp(a, p.Granularity))+" or a smaller alignment",
			"alignment %s is above the chunk, %s", FormatSize(a), FormatSize(p.ChunkSize))
	default:
		return
	}
	c.bad["alignment"] = true // rules that depend on it would only repeat the finding
}

func nextPowerOfTwo(n int64) int64 {
	p := int64(1)
	for p < n && p < maxBlock {
		p *= 2
	}
	return p
}

// checkDevices refuses a device as its own peer.
func (c *poolCheck) checkDevices() {
	if c.p.Device.Kind != NumberedDevice || c.nodes["peers"] == nil {
		return
	}
	for i, peer := range c.p.Peers {
		if peer == c.p.Device.Index && i < len(c.nodes["peers"].items) {
			d := c.fail(codeDevice, c.nodes["peers"].items[i], "remove it", "peer %d is the pool's own device", peer)
			c.noteAt(d, c.nodes["device"], "the device of the pool")
		}
	}
}

// checkFunctions requires two different functions for a custom allocator.
func (c *poolCheck) checkFunctions() {
	if !c.p.May(Custom) {
		return
	}
	var missing, proposals []string
	for _, key := range []string{"alloc", "free"} {
		if c.nodes[key] == nil {
			missing, proposals = append(missing, key), append(proposals, key+": "+keyNamed(PoolSection, key).Example)
		}
	}
	if missing != nil {
		c.fail(codeMissing, c.item, "add "+enumerate(proposals, "and")+", with the names of functions of the output package", "allocator custom needs %s", enumerate(missing, "and"))
		return
	}
	if c.p.AllocFunc != "" && c.p.AllocFunc == c.p.FreeFunc {
		d := c.fail(codeFunction, c.nodes["free"], "name the function that gives back what "+c.p.AllocFunc+" returns", "free %q is the function that allocates", c.p.FreeFunc)
		c.noteAt(d, c.nodes["alloc"], "alloc is set here")
	}
}
