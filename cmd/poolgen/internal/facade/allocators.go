package facade

import (
	"slices"

	"github.com/poolgen/poolgen/spec"
)

// memoryText names the kinds of memory that blocks may have.
func (p *pool) memoryText() string { return enumerate(p.Spec.Allocators()) }

// enumerate lists allocators in a sentence.
func enumerate(list []spec.Allocator) string {
	text := string(list[0])
	for i, a := range list[1:] {
		text += choose(i == len(list)-2, " or ", ", ") + string(a)
	}
	return text
}

// chosen names what options choose from a list.
func (p *pool) chosen() string {
	device, allocator := p.Spec.NeedsDriver(), len(p.Spec.Others) > 0
	switch {
	case device && allocator:
		return "device and allocator"
	case allocator:
		return "allocator"
	}
	return choose(device, "device", "")
}

// requestedDoc describes Requested.
func (p *pool) requestedDoc() string {
	if len(p.Spec.Others) == 0 {
		return "Requested returns the allocator that the pool file asks for."
	}
	return "Requested returns the allocator that was asked for: " + string(p.Spec.Allocator) + ", the first of the pool file, or that of poolrt.WithAllocator."
}

// unlessAll says that methods refuse what some allocators of a list cannot do; "" where all can.
func (p *pool) unlessAll(can func(spec.Allocator) bool, lack string) string {
	cannot := slices.DeleteFunc(p.Spec.Allocators(), can)
	if len(cannot) == 0 || len(p.Spec.Others) == 0 {
		return ""
	}
	return "\nThe error matches poolrt.ErrUnsupported with an allocator that " + lack + ": " + enumerate(cannot) + "."
}
