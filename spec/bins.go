package spec

import (
	"fmt"
	"math/big"
	"slices"
)

// maxBins bounds the number of bins: the number of a bin fits in a byte.
const maxBins = 255

// binSpec is the key bins as the file writes it.
type binSpec struct {
	list     []int64
	at       []*node // of list
	min, max int64   // of the other form
	growth   string
	parts    int64 // per_doubling; 0: growth counts
}

// binGrowth are the factors from one bin to the next, as fractions.
var binGrowth = map[string][2]int64{"pow2": {2, 1}, "1.25": {5, 4}, "1.5": {3, 2}}

// readBins reads either form of bins. Sizes are rounded and listed later, when the alignment is known.
func (c *poolCheck) readBins(k *Key, n *node) bool {
	if n.kind == listNode {
		return c.readBinList(n)
	}
	if n.kind == scalarNode && !n.null {
		c.fail(codeKind, n, "write bins: [64B, 256B] or bins: "+k.Example, "bins is a list of sizes or a block, and this is a value")
		return false
	}
	values, ok := c.block(n, BinsSection, k.Name)
	if !ok {
		return false
	}
	c.bins = binSpec{growth: "pow2"}
	for _, end := range []struct {
		name string
		at   *int64
	}{{"min", &c.bins.min}, {"max", &c.bins.max}} {
		v := values[end.name]
		if v == nil {
			c.fail(codeMissing, n, "write bins: "+k.Example, "bins: %s is missing", end.name)
			ok = false
			continue
		}
		size, good := c.size(v, keyNamed(BinsSection, end.name))
		*end.at, ok = size, ok && good
	}
	if v := values["growth"]; v != nil {
		growth, good := c.choice(v, keyNamed(BinsSection, "growth"))
		c.bins.growth, ok = growth, ok && good
	}
	if v := values["per_doubling"]; v != nil {
		parts, good := c.number(v, keyNamed(BinsSection, "per_doubling"))
		c.bins.parts, ok = parts, ok && good
		if values["growth"] != nil {
			d := c.fail(codeBins, v, "remove one of the two", "bins: growth and per_doubling both say how far apart the bins are")
			c.noteAt(d, values["growth"], "growth")
			return false
		}
	}
	if ok && c.bins.min > c.bins.max {
		c.fail(codeBins, values["max"], "exchange min and max", "bins: max %s is below min %s", FormatSize(c.bins.max), FormatSize(c.bins.min))
		return false
	}
	return ok
}

// readBinList reads a list of sizes, which must ascend.
func (c *poolCheck) readBinList(n *node) bool {
	if len(n.items) == 0 || len(n.items) > maxBins {
		c.fail(codeBins, n, fmt.Sprintf("list from 1 to %d sizes, or leave bins out", maxBins), "bins lists %d sizes", len(n.items))
		return false
	}
	element := Key{Name: "the bin", Min: 1, Max: maxBlock}
	for i, item := range n.items {
		v, ok := c.size(item, &element)
		if !ok {
			return false
		}
		if last := len(c.bins.list) - 1; last >= 0 && v <= c.bins.list[last] {
			d := c.fail(codeBins, item, binOrder(n), "bins: %s does not come after %s", FormatSize(v), FormatSize(c.bins.list[last]))
			c.noteAt(d, n.items[i-1], "the bin before")
			return false
		}
		c.bins.list, c.bins.at = append(c.bins.list, v), append(c.bins.at, item)
	}
	return true
}

// binOrder proposes the sizes of a list in their order, each once.
func binOrder(n *node) string {
	var sizes []int64
	for _, item := range n.items {
		v, bad := parseSize(item.value)
		if bad != nil || len(n.items) > 16 {
			return "list the sizes in ascending order, each once"
		}
		sizes = append(sizes, v)
	}
	slices.Sort(sizes)
	words := make([]string, 0, len(sizes))
	for _, v := range slices.Compact(sizes) {
		words = append(words, FormatSize(v))
	}
	return "write bins: " + listText(words)
}

// binQuantum returns the unit of bin sizes. Multiples of it keep each block in a bin aligned.
func (c *poolCheck) binQuantum() int64 {
	if c.p.Alignment < 1 || c.p.Alignment&(c.p.Alignment-1) != 0 {
		return 16
	}
	return max(16, c.p.Alignment)
}

// expandBins lists the bins: those of the file, or the default series, rounded up to the quantum.
func (c *poolCheck) expandBins() {
	p, quantum := c.p, c.binQuantum()
	switch {
	case c.bad["bins"]:
		return
	case c.bins.list != nil:
		c.roundBinList(quantum)
	case c.bins.parts > 0:
		p.Bins = doublings(c.bins.min, c.bins.max, c.bins.parts, quantum)
	case c.isSet("bins"):
		p.Bins = series(c.bins.min, c.bins.max, binGrowth[c.bins.growth], quantum)
	default:
		usual := p.Suballocator.Info().Bins
		p.Bins = series(max(usual.Least, quantum), max(usual.Most, quantum), binGrowth["pow2"], quantum)
	}
	if len(p.Bins) > maxBins {
		c.fail(codeBins, c.at("bins"), "raise min, or put fewer between: growth: pow2 is one bin for each power of two", "bins: %d bins, and a pool has at most %d", len(p.Bins), maxBins)
		c.bad["bins"] = true
	}
}

// roundBinList rounds the sizes of the file. It refuses two that become equal, because one of them would never be used.
func (c *poolCheck) roundBinList(quantum int64) {
	for i, b := range c.bins.list {
		rounded := roundUp(b, quantum)
		if n := len(c.p.Bins); n > 0 && c.p.Bins[n-1] == rounded {
			c.fail(codeBins, c.bins.at[i], "remove one of the two: a bin of "+FormatSize(rounded)+" serves both", "bins: %s and %s are both rounded up to %s, a multiple of %s",
				FormatSize(c.bins.list[i-1]), FormatSize(b), FormatSize(rounded), FormatSize(quantum))
			c.bad["bins"] = true
			return
		}
		if rounded != b {
			c.notes["bins"] = "rounded up to multiples of " + FormatSize(quantum)
		}
		c.p.Bins = append(c.p.Bins, rounded)
	}
}

// series lists min, min*f, min*f*f, ... up to max, and max itself, each rounded up to a multiple of
// quantum and listed once. Powers are computed exactly, so rounding does not accumulate.
func series(low, high int64, factor [2]int64, quantum int64) []int64 {
	var out []int64
	numerator, denominator := big.NewInt(low), big.NewInt(1)
	up, down := big.NewInt(factor[0]), big.NewInt(factor[1])
	limit := big.NewInt(high)
	for {
		size := new(big.Int).Add(numerator, denominator)
		size.Sub(size, big.NewInt(1)).Quo(size, denominator) // rounded up to whole bytes
		if size.Cmp(limit) >= 0 {
			break
		}
		out = addBin(out, size.Int64(), quantum)
		numerator.Mul(numerator, up)
		denominator.Mul(denominator, down)
	}
	return addBin(out, high, quantum)
}

// addBin adds a size, rounded up to a multiple of quantum, unless it is there.
func addBin(bins []int64, size, quantum int64) []int64 {
	if size = roundUp(size, quantum); len(bins) == 0 || bins[len(bins)-1] < size {
		bins = append(bins, size)
	}
	return bins
}

// doublings lists low, high, and between them all powers of two and the sizes that divide the way from each to the next into equal parts. Each is rounded up to
// a multiple of quantum and listed once.
func doublings(low, high, parts, quantum int64) []int64 {
	out := addBin(nil, low, quantum)
	for power := int64(1); power < high; power *= 2 {
		for i := range parts {
			if size := power + (power*i+parts-1)/parts; low < size && size < high {
				out = addBin(out, size, quantum)
			}
		}
	}
	return addBin(out, high, quantum)
}
