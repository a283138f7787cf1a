package spec

import (
	"slices"
	"time"
)

// poolCheck validates and resolves one pool.
type poolCheck struct {
	reader
	file     *checker
	p        *Pool
	item     *node // the entry of the list
	nameNode *node
	nodes    map[string]*node  // values of the pool and of defaults that apply, by key
	from     map[string]Origin // of nodes
	bad      map[string]bool   // keys whose value could not be read
	skip     map[string]string // keys of defaults that are skipped after all, and why
	notes    map[string]string // notes on values, for explain
	formOnly bool              // the values are from defaults, for unknown pools
	broken   bool              // a key that others depend on could not be read: their rules are skipped
	rungs    []*node           // of on_exhausted, in order
	ways     []*node           // of reclaim, in order
	driver   map[string]*node  // of driver_pool
	bins     binSpec
	rawChunk int64 // chunk_size as the file sets it

	chunkFrom string // the key that decides chunk_size if the file does not set it; "" for the usual size
}

// shapeKeys decide which other keys apply and what they mean.
var shapeKeys = []string{"allocator", "item", "suballocator", "concurrency", "ordering"}

func (f *checker) newPoolCheck(item *node, who string) *poolCheck {
	c := &poolCheck{
		reader: f.reader, file: f, item: item, nameNode: item,
		p: &Pool{
			Allocator: Host, Item: bytesItem, Limit: NoLimit,
			Concurrency: Mutex, Growth: GrowthFixed, Fit: FitGood, Zero: ZeroNever, Capture: CaptureRefuse, Stats: StatsCounters,
			Cache: Cache{PerBin: NoLimit, Bytes: NoLimit}, Device: Device{Kind: CurrentDevice},
			WaitTimeout: time.Second, PackageFunctions: true, Priority: usualPriority, Reclaim: []ReclaimWay{ReclaimTrim},
		},
		nodes: make(map[string]*node), from: make(map[string]Origin), bad: make(map[string]bool),
		skip: make(map[string]string), notes: make(map[string]string),
	}
	c.who = who
	return c
}

// bytesItem is the item of a pool that sets none.
var bytesItem = Item{Kind: ItemBytes, Type: "byte", Size: 1, Align: 1}

// readForm checks only the form of values of defaults, and not whether they apply to the pool, or fit it.
func (c *poolCheck) readForm(values map[string]*node) {
	c.formOnly = true
	for i := range poolKeys {
		k := &poolKeys[i]
		if n := values[k.Name]; n != nil {
			c.from[k.Name] = FromDefaults
			poolFields[k.Name].read(c, k, n)
		}
	}
}

// resolve resolves the keys in the order of their table, which has each key after those it depends on:
// own values, values of defaults that apply, defaults of the language. Then it derives values, and
// checks the rules.
func (c *poolCheck) resolve(own, shared map[string]*node) {
	for i := range poolKeys {
		k := &poolKeys[i]
		n, origin := own[k.Name], FromPool
		if n == nil {
			n, origin = shared[k.Name], FromDefaults
		}
		if n == nil {
			c.fillDefault(k)
			continue
		}
		why, help := k.misfit(c.p, c.bad)
		switch {
		case why != "" && n.guessed:
			c.fillDefault(k) // its key was refused already
		case c.broken || why == "":
			c.nodes[k.Name], c.from[k.Name] = n, origin
			c.readKey(k, n)
		case origin == FromPool:
			c.fail(codeNotApplicable, n, "leave it out, or "+help, "%s does not apply to %s", k.Name, why)
			c.fillDefault(k)
		default:
			c.skip[k.Name] = "does not apply to " + why
			c.fillDefault(k)
		}
	}
	if !c.broken {
		c.derive()
		c.checkRules()
	}
	c.recordValues(shared)
}

// readKey reads one value. If a shape key cannot be read, the rules that depend on it are skipped.
func (c *poolCheck) readKey(k *Key, n *node) {
	if poolFields[k.Name].read(c, k, n) {
		return
	}
	c.bad[k.Name] = true
	if slices.Contains(shapeKeys, k.Name) {
		c.broken = true
		c.fillDefault(k)
	}
}

// fillDefault sets the defaults that depend on other keys; the constant ones are there from the start.
func (c *poolCheck) fillDefault(k *Key) {
	p := c.p
	switch k.Name {
	case "item":
		if p.Allocator == NoAllocator {
			p.Item = Item{Kind: ItemNumber, Size: 1, Align: 1}
		}
	case "suballocator":
		p.Suballocator = Heap
		if c.nodes["item"] != nil && (p.Item.Kind != ItemBytes || c.bad["item"]) {
			p.Suballocator = Fixed
		}
	case "ordering":
		p.Ordering = Sync
		if why, _ := k.misfit(p, c.bad); why == "" && (p.Allocator.Memory() == DeviceSpans || p.Allocator == TextureTile) {
			p.Ordering = Stream
		}
	case "trim":
		if p.pagesMove() {
			p.Trim = &Trim{When: TrimOnGrowth}
		}
	case "across_streams":
		switch why, _ := k.misfit(p, c.bad); {
		case why != "":
		case p.Trim != nil && p.Trim.When == TrimOnGrowth:
			p.AcrossStreams = AcrossPeak
		default:
			p.AcrossStreams = AcrossLimit
		}
	case "driver_pool":
		p.DriverPool = newDriverPool(p)
	case "pinned_flags":
		if p.May(Pinned) {
			p.PinnedFlags = []string{"portable"}
		}
	}
}

// at returns the node of a key's value, or of the pool if the key is not set.
func (c *poolCheck) at(keys ...string) *node {
	for _, key := range keys {
		if n := c.nodes[key]; n != nil {
			return n
		}
	}
	return c.nameNode
}

// isSet reports whether the file sets a key, and its value could be read.
func (c *poolCheck) isSet(key string) bool { return c.nodes[key] != nil && !c.bad[key] }

// basis names the key from which the value of a key is computed if the file does not set it, for keys where that is always the same.
var basis = map[string]string{
	"suballocator": "item", "ordering": "allocator", "on_exhausted": "ordering", "block_size": "item", "arena_size": "chunk_size",
	"alignment": "item", "min_split": "alignment", "max_limit": "limit",
}

// recordValues lists how each key was resolved, for explain.
func (c *poolCheck) recordValues(shared map[string]*node) {
	c.p.Values = make([]Value, 0, len(poolKeys))
	for i := range poolKeys {
		k := &poolKeys[i]
		v := Value{Key: k.Name, Origin: FromLanguage, Note: c.notes[k.Name]}
		why, _ := k.misfit(c.p, c.bad)
		switch n := c.nodes[k.Name]; {
		case c.skip[k.Name] != "":
			v.Origin, v.Pos, v.Note = Skipped, shared[k.Name].pos, c.skip[k.Name]
			v.Text = shared[k.Name].inline()
		case n != nil:
			v.Origin, v.Pos, v.Text = c.from[k.Name], n.pos, poolFields[k.Name].text(c.p)
		case k.Name == "name":
			v.Origin, v.Pos, v.Text = FromPool, c.nameNode.pos, c.p.Name
		case why != "" || k.Default == "":
			continue
		default:
			c.recordDefault(&v, k)
		}
		c.p.Values = append(c.p.Values, v)
	}
}

// recordDefault records the value of a key that the file does not set.
func (c *poolCheck) recordDefault(v *Value, k *Key) {
	p := c.p
	v.Basis = basis[k.Name]
	switch v.Text = poolFields[k.Name].text(p); {
	case k.Name == "alignment" && p.Alignment == 0:
		v.Text = "the item's"
	case k.Name == "alignment":
		v.Basis = "allocator"
	case k.Name == "block_size" && p.BlockSize == 0 && p.Stride() == 0:
		v.Text = "the size of " + p.Item.Type
	case k.Name == "block_size":
		v.Text = FormatSize(p.Stride())
	case k.Name == "min_split" && p.Allocator == NoAllocator:
		v.Text, v.Basis = "1", ""
	case k.Name == "min_split":
		v.Text = FormatSize(p.Granule())
	case k.Name == "across_streams" && p.AcrossStreams == AcrossPeak:
		v.Basis = "trim"
	case k.Name == "trim" && p.Trim != nil:
		v.Basis = "allocator"
	case k.Name == "chunk_size":
		v.Basis = c.chunkFrom
	case v.Text == "" || v.Text == "[]":
		v.Text = k.Default
	}
	if v.Basis != "" {
		v.Origin = Derived
	}
}
