package facade

import (
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// cost describes the cost of one allocation.
func (p *pool) cost() string {
	if p.Spec.Fit != spec.FitGood {
		return "O(log n) in the number of free ranges"
	}
	if call := p.Spec.Suballocator.Info().Cost; call != "" {
		return "constant time plus " + call
	}
	return "constant time"
}

// safety says which goroutines may call.
func (p *pool) safety() string {
	if p.Spec.Concurrency == spec.Unlocked {
		return "one goroutine at a time may use the pool"
	}
	return "safe for concurrent use"
}

// allocDoc describes AllocFoo with the pool's numbers.
func (p *pool) allocDoc() string {
	return "returns " + p.what() + ", in " + p.cost() + "; " + p.safety() + "." + p.contentDoc() + "\n\n" + p.ownerDoc() + "\n\n" + p.errorsDoc()
}

// ownerDoc says how long the caller owns what an allocation returns, and how the pool reserves memory.
func (p *pool) ownerDoc() string {
	s := p.returnDoc()
	if p.Can.Free {
		s = "The caller owns " + p.noun() + " until " + p.call("Free") + "."
	}
	s += p.chunkDoc()
	if p.Spec.Magazine > 0 {
		s += fmt.Sprintf("\n\nEach processor keeps up to %d free blocks at hand. Before an allocation fails, the program is stopped for a moment, and\nall of them return to the pool.", min(p.Spec.Magazine, p.PerWord))
	}
	return s
}

// noun names the thing that is handed out.
func (p *pool) noun() string {
	switch {
	case p.Numbers() && p.Spec.ItemForm():
		return "the number"
	case p.Numbers():
		return "the numbers"
	case p.Tiled() && p.Spec.ItemForm() && p.Spec.BlockSize == spec.TileBytes:
		return "the tile"
	case p.Tiled():
		return "the row"
	}
	return "the block"
}

// onMethods is the text on package functions for the methods that they call.
func (p *pool) onMethods(text string) string {
	return strings.NewReplacer(p.call("Alloc"), "Alloc", p.call("Free"), "Free").Replace(text)
}

// contentDoc says what a block holds.
func (p *pool) contentDoc() string {
	switch {
	case p.Numbers() || p.Tiled():
		return ""
	case p.Spec.Zero == spec.ZeroAlways:
		return " The block is zero."
	case p.Spec.Zero == spec.ZeroFirst:
		return " The block is zero\nwhen its memory is handed out for the first time."
	}
	return " The content of the\nblock is unspecified."
}

// chunkDoc says how the pool reserves memory, as far as that is known without the size of a user's type.
func (p *pool) chunkDoc() string {
	stride := p.Spec.Stride() // the stride in explain, which takes int as eight bytes; p.Stride leaves that to the compiler
	switch {
	case p.Numbers():
		return ""
	case p.Spec.Suballocator.Info().Direct:
		return " Each block is reserved separately, in multiples of " + spec.FormatSize(max(p.Spec.Granularity, 1)) + "."
	case p.Spec.ItemForm() && stride > 0:
		return fmt.Sprintf(" Memory is reserved %s at a time, which is %d\nblocks of %s%s.", spec.FormatSize(p.Spec.ChunkSize), p.Spec.ChunkSize/stride, spec.FormatSize(stride), p.doubling())
	}
	return " Memory is reserved " + spec.FormatSize(p.Spec.ChunkSize) + " at a time" + p.doubling() + "."
}

func (p *pool) doubling() string {
	return choose(p.Spec.Growth == spec.GrowthDouble, "; later chunks may be larger", "")
}

// errorsDoc lists the errors of an allocation.
func (p *pool) errorsDoc() string {
	list := []string{}
	add := func(when bool, text string) {
		if when {
			list = append(list, text)
		}
	}
	bounds := p.bounds()
	add(p.Numbers() && bounds == "", "poolrt.ErrLimit when none is free")
	add(bounds != "", "poolrt.ErrLimit at the limit of "+bounds)
	add(!p.Numbers(), "poolrt.ErrOutOfMemory when there is no more memory")
	add(!p.Spec.ItemForm(), "poolrt.ErrBadSize for less than one, poolrt.ErrTooLarge for more than the pool could ever serve")
	add(p.Spec.Item.Kind == spec.ItemUser, "poolrt.ErrBadItem if "+p.itemText()+" holds pointers")
	add(p.Spec.NeedsDriver(), "poolrt.ErrNoDriver or poolrt.ErrUnsupported where the machine cannot supply such memory")
	add(true, "poolrt.ErrClosed after Close")
	return "The error matches\n  - " + strings.Join(list, ",\n  - ") + "."
}

// capacity says how many blocks a limit leaves room for, if their size is known.
func (p *pool) capacity() string {
	stride := p.Spec.Stride()
	if !p.Spec.ItemForm() || p.Numbers() || stride <= 0 || p.Spec.Limit == spec.NoLimit {
		return ""
	}
	return fmt.Sprintf(" (at most %d blocks)", p.Spec.Limit/stride)
}

// batchDoc says what a batch costs in a pool with a lock.
func (p *pool) batchDoc() string {
	return choose(p.Spec.Concurrency == spec.Unlocked || p.Spec.Shared(), "", " All blocks that need no new chunk cost one lock.")
}

// typeDoc is the pool's doc below the description of its type; "" if it has none.
func (p *pool) typeDoc() string {
	return choose(p.Spec.Doc == "", "", "\n\n"+p.Spec.Doc)
}

// tryDoc describes TryAllocFoo.
func (p *pool) tryDoc() string {
	s := "takes a block if that needs neither growth nor waiting. Otherwise it returns false and changes nothing."
	if p.Spec.Magazine > 0 {
		s += " It takes no block that\nother processors keep at hand."
	}
	return s
}

// bounds names the limits that apply; "" if there are none.
func (p *pool) bounds() string {
	var bounds []string
	if p.Spec.Limit != spec.NoLimit {
		bounds = append(bounds, p.amount(p.Spec.Limit)+p.capacity())
	}
	if p.Budget != nil {
		bounds = append(bounds, fmt.Sprintf("%s set by budget %s for several pools together", spec.FormatSize(p.Budget.Spec.Limit), p.Spec.Budget))
	}
	return strings.Join(bounds, ", or ")
}

// contextDoc describes AllocFooContext.
func (p *pool) contextDoc() string {
	if p.Spec.Concurrency == spec.Unlocked && p.Spec.Ordering != spec.Sync {
		return ", but waits until ctx ends for streams to pass the frees on them. If ctx ends first, the error matches both\nctx.Err() and poolrt.ErrLimit."
	}
	if p.Spec.Concurrency == spec.Unlocked {
		return " for callers that have a context. It does not wait: the pool is for one goroutine\nat a time, so nobody else could free a block in the meantime."
	}
	what := "a free"
	if !p.Can.Free {
		what = "a Reset"
	}
	return ", but waits until ctx ends for " + what + " to make room. If ctx ends first, the error matches both\nctx.Err() and poolrt.ErrLimit."
}

// returnDoc says how blocks are freed if there is no free of a single block.
func (p *pool) returnDoc() string {
	if p.Can.Mark {
		return "Blocks are not freed one by one: Reset frees all of them, and Release those handed out since a Mark."
	}
	return "Blocks are not freed one by one: Reset frees all of them."
}

// what describes the thing that is handed out.
func (p *pool) what() string {
	switch {
	case p.Numbers() && p.Spec.ItemForm():
		return "a number that is not in use"
	case p.Numbers():
		return "n consecutive numbers that are not in use"
	case p.Tiled() && p.Spec.ItemForm() && p.Spec.BlockSize == spec.TileBytes:
		return "a tile of 64KiB for sparse textures"
	case p.Tiled() && p.Spec.ItemForm():
		return fmt.Sprintf("a row of %d tiles of 64KiB for sparse textures", p.Spec.BlockSize/spec.TileBytes)
	case p.Tiled():
		return "a row of that many tiles of 64KiB for sparse textures"
	case p.Spec.ItemForm():
		return fmt.Sprintf("a block for one %s of %s memory", p.itemText(), p.memoryText())
	case p.Spec.Item.Kind == spec.ItemBytes:
		return fmt.Sprintf("a block of n bytes of %s memory", p.memoryText())
	default:
		return fmt.Sprintf("a block of n %s of %s memory", p.itemText(), p.memoryText())
	}
}

// amount names a limit in what it counts.
func (p *pool) amount(n int64) string {
	if p.Numbers() {
		return fmt.Sprintf("%d numbers", n)
	}
	return spec.FormatSize(n)
}

// alignedDoc describes AllocFooAligned.
func (p *pool) alignedDoc() string {
	if p.Tiled() {
		return " for a row that begins in its memory at a multiple of align bytes, as every row does\nup to 64KiB. Unless align is a power of two up to the chunk size it is refused with poolrt.ErrBadAlignment."
	}
	return " at an address that is a multiple of align bytes. Unless align is a power of\ntwo up to the chunk size it is refused with poolrt.ErrBadAlignment."
}

// freeDoc describes FreeFoo.
func (p *pool) freeDoc() string {
	if p.Tiled() {
		return "frees a whole row of tiles. A part of it, and anything that is not a live row of the pool, is\n" +
			"refused with an error that matches poolrt.ErrInvalidFree. Regions of arrays that are still bound to the tiles see what their next\nowner writes: unbind them first."
	}
	if p.Spec.ItemForm() {
		return "frees a block, in " + p.cost() + "; " + p.safety() + ". Anything that is not a live block of the\npool is refused with an error that matches poolrt.ErrInvalidFree" + p.refusals()
	}
	return "frees a whole block, in " + p.cost() + "; " + p.safety() + ".\nAnother start or length, and anything that is not a live block of the pool, is refused with an error that matches\npoolrt.ErrInvalidFree" + p.refusals()
}

// refusals names the errors of the two kinds of invalid frees, as far as the pool distinguishes them.
func (p *pool) refusals() string {
	if p.Spec.ItemForm() {
		return ": poolrt.ErrDoubleFree if it\nwas freed before, otherwise poolrt.ErrForeign."
	}
	return ": poolrt.ErrDoubleFree or poolrt.ErrForeign."
}

// noWorkPending says when a free without a stream is allowed; "" in pools without streams.
func (p *pool) noWorkPending(by string) string {
	if !p.Can.FreeAsync {
		return ""
	}
	when := map[string]string{
		"Free":    "No work may be pending on it",
		"With":    "No work may be pending on it when f returns",
		"Release": "No work may be pending on it when it is released",
	}[by]
	return "\n" + when + ": the block can be handed out again at once, for any use."
}
