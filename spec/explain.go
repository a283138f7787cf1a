package spec

import (
	"fmt"
	"strconv"
	"strings"
)

// Row is one line of an explanation: a key or a derived fact, its value, and the origin of the value.
type Row struct {
	Key  string
	Text string
	From string // "poolgen.yaml:12:5", "defaults poolgen.yaml:3:12", "default", "derived from limit", "skipped poolgen.yaml:3:12"
	Note string // may be empty
}

// Explain lists the resolved keys of a pool in the order of the table of keys, followed by facts that
// follow from them, as far as they are known without the item's size. It returns false if the plan has no
// pool of that name.
func Explain(plan *Plan, name string) ([]Row, bool) {
	for i := range plan.Pools {
		if p := &plan.Pools[i]; p.Name == name {
			return append(valueRows(plan.File, p), factRows(plan, p)...), true
		}
	}
	return nil, false
}

func valueRows(file string, p *Pool) []Row {
	var rows []Row
	for _, v := range p.Values {
		from := string(v.Origin)
		switch v.Origin {
		case FromPool:
			from = place(file, v.Pos)
		case FromDefaults, Skipped:
			from += " " + place(file, v.Pos)
		case Derived:
			from += " from " + v.Basis
		}
		rows = append(rows, Row{v.Key, strings.ReplaceAll(v.Text, "\n", " "), from, v.Note})
	}
	return rows
}

// factRows returns rows about the cost and the content of a pool.
func factRows(plan *Plan, p *Pool) []Row {
	var rows []Row
	add := func(key, text, note string) { rows = append(rows, Row{key, text, string(Derived), note}) }
	add("form", formText(p), "")
	for _, a := range p.Allocators() {
		allocatorRows(add, p, a)
	}
	if p.Granularity > 1 {
		add("granularity", FormatSize(p.Granularity), "chunks are multiples of it")
	}
	stride := p.Stride()
	switch {
	case p.Allocator == NoAllocator:
	case p.ItemForm() && stride == 0:
		unknownRows(add, p)
	case p.ItemForm():
		blockRows(add, p, stride)
	default:
		spanRows(add, p, stride)
	}
	limitRows(add, plan, p, stride)
	return rows
}

// allocatorRows returns rows about the calls of the driver with an allocator. If a program may choose another one, each row names its allocator.
func allocatorRows(add func(key, text, note string), p *Pool, a Allocator) {
	with := func(note string) string {
		if len(p.Others) == 0 {
			return note
		}
		return strings.TrimSuffix("with allocator "+string(a)+"; "+note, "; ")
	}
	source, own := a, p.DriverPool != nil && p.DriverPool.Source == "custom"
	switch {
	case a == DevicePool && !own:
		source = DeviceAsync // the same default pool
	case a == DeviceAsync && own && !p.May(DevicePool):
		source = DevicePool
	}
	calls, instead, _ := strings.Cut(allocatorTable[source].calls, ": ")
	add("driver calls", calls, with(instead))
	if p.Shareable && a.Shares() {
		add("shared by", sharingTable[a], with("blocks of an imported pool are opened, not allocated"))
	}
}

// unknownRows returns rows about blocks in a chunk whose size only the Go compiler knows.
func unknownRows(add func(key, text, note string), p *Pool) {
	const compiler = "known to the Go compiler only"
	size := "size of " + p.Item.Type
	if p.Alignment > 1 {
		size += ", rounded up to a multiple of " + FormatSize(p.Alignment)
	}
	add("stride", size, compiler)
	add("waste per block", "stride - size of "+p.Item.Type, compiler)
	add("blocks per chunk", FormatSize(p.ChunkSize)+" / stride", compiler)
	add("waste per chunk", FormatSize(p.ChunkSize)+" % stride", compiler)
}

// ItemSizeKey is the key of the row with the size of an item.
const ItemSizeKey = "item size"

// itemRow returns the row with the size of an item, if it is known.
func itemRow(add func(key, text, note string), p *Pool) {
	add(ItemSizeKey, FormatSize(p.Item.Size), "aligned to "+FormatSize(p.Item.Align))
}

// spanRows returns rows about blocks of many sizes in a chunk.
func spanRows(add func(key, text, note string), p *Pool, item int64) {
	if p.Allocator == TextureTile {
		tileRows(add, p)
		return
	}
	if !p.Suballocator.Info().Direct {
		add("granule", FormatSize(p.Granule()), "blocks are rounded up to a multiple of it")
		add("waste per block", "less than "+FormatSize(p.Granule()), wasteNote(p))
	} else {
		add("waste per block", "less than "+FormatSize(p.Granularity), "each block is a chunk of its own")
	}
	switch {
	case p.Item.Kind == ItemBytes || p.Suballocator.Info().Direct:
	case item == 0:
		add("items per chunk", FormatSize(p.ChunkSize)+" / size of "+p.Item.Type, "at most; known to the Go compiler only")
	default:
		itemRow(add, p)
		add("items per chunk", strconv.FormatInt(p.ChunkSize/item, 10), "at most")
	}
}

// tileRows returns rows about tiles in a chunk.
func tileRows(add func(key, text, note string), p *Pool) {
	add("tile", FormatSize(TileBytes), "rows are counted in tiles")
	switch info := p.Suballocator.Info(); {
	case info.Direct:
		add("waste per row", "less than "+FormatSize(p.Granularity), "each row is a chunk of its own")
		return
	case info.Bins != nil:
		add("waste per row", "up to the next of the bins", "")
	}
	add("tiles per chunk", strconv.FormatInt(p.ChunkSize/TileBytes, 10), "")
}

// wasteNote describes what else may be wasted in a block.
func wasteNote(p *Pool) string {
	switch {
	case p.Suballocator.Info().Bins != nil:
		return "blocks are also rounded up to the next of the bins"
	case p.LargestSlabBin() > 0:
		return "blocks of up to " + FormatSize(p.LargestSlabBin()) + " come from slabs, which round them up by up to a quarter"
	case p.MinSplit > p.Granule():
		return "a rest below min_split stays with the block"
	}
	return ""
}

// blockRows returns rows about blocks of a known size in a chunk.
func blockRows(add func(key, text, note string), p *Pool, stride int64) {
	if p.Item.Kind == ItemUser {
		itemRow(add, p)
	}
	add("stride", FormatSize(stride), "distance of blocks")
	if p.Item.Kind != ItemBytes && stride > p.Item.Size {
		add("waste per block", FormatSize(stride-p.Item.Size), fmt.Sprintf("%s of %s hold the item", FormatSize(p.Item.Size), FormatSize(stride)))
	}
	count := p.ChunkSize / stride
	add("blocks per chunk", strconv.FormatInt(count, 10), "")
	if rest := p.ChunkSize - count*stride; rest > 0 {
		add("waste per chunk", FormatSize(rest), "too small for another block")
	}
}

// formText returns the Go type that the pool hands out.
func formText(p *Pool) string {
	item := p.Item.Type
	if p.ItemForm() && p.Item.Kind == ItemBytes {
		item = p.Name + "Block"
	}
	forms := map[Memory][2]string{ // single items, spans
		HostMemory:   {"*" + item, "[]" + item},
		DeviceSpans:  {p.Name + "Ptr", p.Name + "Span"},
		TileMemory:   {p.Name + "Tiles", p.Name + "Tiles"},
		NumberMemory: {p.Name + "ID", p.Name + "IDs"},
	}[p.Allocator.Memory()]
	if p.ItemForm() {
		return forms[0]
	}
	return forms[1]
}
