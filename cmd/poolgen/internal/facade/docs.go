package facade

import (
	"fmt"

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
	if p.Limit != spec.NoLimit {
		s += fmt.Sprintf("\nAt the limit of %s the error matches runtime.ErrLimit.", p.limitText())
	}
	return s
}

// what names the thing that is handed out.
func (p *Pool) what() string {
	switch {
	case p.numbers() && p.ItemForm():
		return "a number that is not in use"
	case p.numbers():
		return "n consecutive numbers that are not in use"
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

// freeDoc describes FreeFoo.
func (p *Pool) freeDoc() string {
	if p.ItemForm() {
		return "gives a block back. Anything that is not a live block of the pool is refused with an error\nthat matches runtime.ErrInvalidFree."
	}
	return "gives a block back as it was handed out. Another start or length, and anything that is not a\nlive block of the pool, is refused with an error that matches runtime.ErrInvalidFree."
}
