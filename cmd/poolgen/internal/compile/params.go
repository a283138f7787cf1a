package compile

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/poolgen/poolgen/spec"
)

// param is a parameter of a template: its value, and what that adds to the name of the suballocator. A usual value adds nothing.
type param struct{ name, value, word string }

func flag(name string, on bool, yes, no string) param {
	if on {
		return param{name, "true", yes}
	}
	return param{name, "false", no}
}

// size is a parameter in bytes that is called by its value, but for the usual one.
func size(name string, n, usual int64, word string) param {
	if n == usual {
		word = ""
	} else {
		word += sizeWord(n)
	}
	return param{name, decimal(n), word}
}

// params are the parameters of the pool's suballocator that it does not share with others of other kinds.
func (p *pool) params() []param { return paramsOf[p.Suballocator](p) }

var paramsOf = map[spec.Suballocator]func(*pool) []param{
	spec.Fixed:          (*pool).fixed,
	spec.Heap:           (*pool).heap,
	spec.Binned:         func(p *pool) []param { return p.withBins("binned", 16, 4<<10) },
	spec.Classes:        (*pool).classes,
	spec.Ring:           (*pool).ring,
	spec.Bump:           (*pool).bump,
	spec.NoSuballocator: func(*pool) []param { return nil },
}

func (p *pool) fixed() []param {
	name := p.core()
	list := []param{
		{name + ".itemBytes", p.itemSize(), p.itemWord()},
		{name + ".blockSize", p.stride(), p.strideWord()},
	}
	if !p.Shared() {
		return append(list, flag("fixed.single", p.single(), "Single", ""))
	}
	list = append(list, param{"strict.perWord", decimal(int64(p.PerWord())), ""})
	if n := int64(p.Magazine); n > 0 {
		list = append(list, param{"strict.once", "1 << 33", ""}, param{"strict.magazineSize", decimal(n), "Magazine" + decimal(n)})
	}
	return list
}

// itemWord says what a block is for.
func (p *pool) itemWord() string {
	switch {
	case p.Item.Kind == spec.ItemNumber:
		return "1"
	case p.Item.Kind == spec.ItemBytes:
		return sizeWord(p.BlockSize)
	case p.Sized():
		return sizeWord(p.Item.Size)
	}
	var b strings.Builder
	for _, word := range strings.FieldsFunc(p.Item.Type, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.WriteString(title(word))
	}
	return b.String()
}

// strideWord says how far apart blocks are where that is not the size of what they are for.
func (p *pool) strideWord() string {
	switch known := p.knownStride(); {
	case p.stride() == p.itemSize():
		return ""
	case known > 0:
		return "In" + sizeWord(known)
	default:
		return "Aligned" + sizeWord(p.Alignment)
	}
}

// types are the parameters of the suballocator that are types.
func (p *pool) types() []param {
	if p.core() != "fixed" {
		return nil
	}
	index := p.index()
	return []param{{"fixed.index", index, map[string]string{"uint16": "Index16"}[index]}}
}

func (p *pool) heap() []param {
	fit := map[spec.Fit]param{
		spec.FitFirst: {"heap.fit", "fitFirst", "First"},
		spec.FitBest:  {"heap.fit", "fitBest", "Best"},
	}[p.Fit]
	if fit.name == "" {
		fit = param{"heap.fit", "fitGood", ""}
	}
	return []param{
		fit,
		size("heap.granule", p.Granule(), 16, "Granule"),
		size("heap.minSplit", max(p.MinSplit, p.Granule()), p.Granule(), "Split"),
		flag("heap.choosy", p.choosy(), "Choosy", ""),
	}
}

// choosy: chunks of the wrong size are to make way for others, so it pays to keep large ones whole.
func (p *pool) choosy() bool {
	return p.Suballocator == spec.Heap && p.Trim != nil && !p.TrimsOnFree() && !p.Paged() && !p.Shared()
}

// withBins are the parameters of a suballocator with bins in front of a heap; usually they are the powers of two from least to largest, as far as the
// granule lets them.
func (p *pool) withBins(name string, least, largest int64) []param {
	word := binsWord(p.Bins, max(least, p.Granule()), max(largest, p.Granule()))
	return append([]param{{name + ".bins", list(p.Bins), word}}, p.heap()...)
}

// binsWord says which sizes bins have: from where to where, and how many unless they double.
func binsWord(bins []int64, least, largest int64) string {
	first, last, double := bins[0], bins[len(bins)-1], true
	for i, n := range bins[1:] {
		double = double && n == 2*bins[i]
	}
	switch word := "Bins" + sizeWord(first) + "To" + sizeWord(last); {
	case !double:
		return fmt.Sprintf("%sBy%d", word, len(bins))
	case first == least && last == largest:
		return ""
	default:
		return word
	}
}

func (p *pool) classes() []param {
	return append(p.withBins("classes", 512, 2<<30),
		bound("classes.cachePerBin", p.Cache.PerBin, math.MaxUint32, "1<<32 - 1", "Keep"),
		bound("classes.cacheBytes", p.Cache.Bytes, spec.NoLimit, "1<<64 - 1", "Cache"))
}

// bound is a parameter of which most stands for no bound.
func bound(name string, n, most int64, none, word string) param {
	if n >= most {
		return param{name, none, ""}
	}
	return param{name, decimal(n), word + sizeWord(n)}
}

func (p *pool) ring() []param {
	arena := roundUp(p.ArenaSize, p.Granule())
	granule := size("ring.granule", p.Granule(), 16, "Granule")
	if p.Item.Kind == spec.ItemNumber {
		return []param{{"ring.arenaSize", "1<<63 - 1", "Numbers"}, granule} // a range of numbers is one arena
	}
	return []param{{"ring.arenaSize", decimal(arena), sizeWord(arena)}, granule}
}

func (p *pool) bump() []param {
	return []param{
		size("bump.granule", p.Granule(), 16, "Granule"),
		flag("bump.marks", p.Concurrency == spec.Unlocked, "Marks", ""),
		flag("bump.stripped", p.Shared(), "", ""),
	}
}

// list is an array of sizes.
func list(sizes []int64) string {
	each := make([]string, len(sizes))
	for i, n := range sizes {
		each[i] = decimal(n)
	}
	return "[...]uint64{" + strings.Join(each, ", ") + "}"
}

// sizeWord writes a size in the largest unit that is whole, as a name can have it: 64k.
func sizeWord(n int64) string {
	for _, u := range []struct {
		letter string
		shift  int
	}{{"g", 30}, {"m", 20}, {"k", 10}} {
		if n >= 1<<u.shift && n&(1<<u.shift-1) == 0 {
			return decimal(n>>u.shift) + u.letter
		}
	}
	return decimal(n)
}
