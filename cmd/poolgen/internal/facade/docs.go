package facade

import (
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// costs says what one allocation costs, by suballocator.
var costs = map[spec.Suballocator]string{
	spec.Fixed:          "constant time",
	spec.Heap:           "constant time",
	spec.Binned:         "constant time",
	spec.Classes:        "constant time",
	spec.Ring:           "constant time",
	spec.Bump:           "constant time",
	spec.NoSuballocator: "constant time plus a call of the allocator",
}

// cost is the cost of this pool's allocations.
func (p *Pool) cost() string {
	if p.Suballocator == spec.Heap && p.Fit != spec.FitGood {
		return "O(log n) in the number of free ranges"
	}
	return costs[p.Suballocator]
}

// safety says who may call.
func (p *Pool) safety() string {
	if p.Concurrency == spec.Unlocked {
		return "one goroutine at a time may use the pool"
	}
	return "safe for concurrent use"
}

// allocDoc describes AllocFoo with the pool's numbers.
func (p *Pool) allocDoc() string {
	s := "returns " + p.what() + ", in " + p.cost() + "; " + p.safety() + "."
	if p.Doc != "" {
		s += "\n\n" + p.Doc + "\n"
	}
	if !p.frees() {
		s += "\n" + p.returnDoc() + "\n"
	}
	if p.Magazine > 0 {
		s += fmt.Sprintf("\nEach processor keeps up to %d free blocks at hand. Before an allocation fails, the program is stopped for a moment, and\nall of them are given back.\n", min(p.Magazine, p.PerWord()))
	}
	if bounds := p.bounds(); bounds != "" {
		s += "\nAt the limit of " + bounds + " the error matches runtime.ErrLimit."
	}
	return s
}

// PerWord is how many blocks of a shared pool, all of one size, a word stands for. Where they can be parked that takes a second bit.
func (p *Pool) PerWord() int {
	if p.Ordered() {
		return 16
	}
	return 32
}

// tryDoc describes TryAllocFoo.
func (p *Pool) tryDoc() string {
	s := "is Alloc" + p.Name + " where that needs no growth and no wait, and cannot fail."
	if p.Magazine > 0 {
		s += " It does without what other\nprocessors keep at hand."
	}
	return s
}

// bounds names the limits that hold; "" if there are none.
func (p *Pool) bounds() string {
	var bounds []string
	if p.Limit != spec.NoLimit {
		bounds = append(bounds, p.limitText())
	}
	if p.BudgetLimit > 0 {
		bounds = append(bounds, fmt.Sprintf("%s that budget %s sets for several pools together", spec.FormatSize(p.BudgetLimit), p.Budget))
	}
	return strings.Join(bounds, ", or ")
}

// contextDoc describes AllocFooContext.
func (p *Pool) contextDoc() string {
	if p.Concurrency == spec.Unlocked && p.Ordering != spec.Sync {
		return " that waits for streams to pass frees on them until ctx ends. The error then matches ctx.Err() too."
	}
	if p.Concurrency == spec.Unlocked {
		return " for callers that have a context. It does not wait: the pool is for one goroutine\nat a time, so nobody else could free a block meanwhile."
	}
	what := "a free"
	if !p.frees() {
		what = "a Reset"
	}
	return " that waits for " + what + " until ctx ends. The error then matches ctx.Err() too."
}

// returnDoc says how memory comes back where there is no free for one block.
func (p *Pool) returnDoc() string {
	if p.marks() {
		return "There is no free for one block: all go at once with Reset, or those since a Mark with Release."
	}
	return "There is no free for one block: all go at once with Reset."
}

// what names the thing that is handed out.
func (p *Pool) what() string {
	switch {
	case p.numbers() && p.ItemForm():
		return "a number that is not in use"
	case p.numbers():
		return "n consecutive numbers that are not in use"
	case p.Tiled() && p.ItemForm() && p.BlockSize == spec.TileBytes:
		return "a tile of 64KiB for sparse textures"
	case p.Tiled() && p.ItemForm():
		return fmt.Sprintf("a row of %d tiles of 64KiB for sparse textures", p.BlockSize/spec.TileBytes)
	case p.Tiled():
		return "a row of that many tiles of 64KiB for sparse textures"
	case p.ItemForm():
		return fmt.Sprintf("a block for one %s of %s memory", p.ItemType(), p.Allocator)
	case p.Item.Kind == spec.ItemBytes:
		return fmt.Sprintf("n bytes of %s memory", p.Allocator)
	default:
		return fmt.Sprintf("a block of n %s of %s memory", p.ItemType(), p.Allocator)
	}
}

func (p *Pool) limitText() string {
	if p.numbers() {
		return fmt.Sprintf("%d numbers", p.Limit)
	}
	return spec.FormatSize(p.Limit)
}

// alignedDoc describes AllocFooAligned.
func (p *Pool) alignedDoc() string {
	if p.Tiled() {
		return " for a row that begins in its memory at a multiple of align bytes: a power of\ntwo, up to the chunk size. Up to 64KiB every row does."
	}
	return " for an address that is a multiple of align bytes: a power of two,\nup to the chunk size."
}

// freeDoc describes FreeFoo.
func (p *Pool) freeDoc() string {
	if p.Tiled() {
		return "gives a row of tiles back as it was handed out. A part of it, and anything that is not a live row of the pool, is\n" +
			"refused with an error that matches runtime.ErrInvalidFree. Regions of arrays that are still bound to the tiles see what their next\nowner writes: unbind them before."
	}
	if p.ItemForm() {
		return "gives a block back. Anything that is not a live block of the pool is refused with an error\nthat matches runtime.ErrInvalidFree."
	}
	return "gives a block back as it was handed out. Another start or length, and anything that is not a\nlive block of the pool, is refused with an error that matches runtime.ErrInvalidFree."
}

// settled says when a free without a stream may come; "" in pools that know no streams.
func (p *Pool) settled(by string) string {
	if !p.Ordered() {
		return ""
	}
	when := map[string]string{
		"Free":    "No work may be pending on it",
		"With":    "No work may be pending on it when f returns",
		"Release": "No work may be pending on it when it is released",
	}[by]
	return "\n" + when + ": the block can be handed out for any use at once."
}
