package spec

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// field ties a key to its place in a [Pool].
type field struct {
	// read stores the value of n in the pool. It returns false if it has reported a finding.
	read func(c *poolCheck, k *Key, n *node) bool
	// text returns the canonical form of the value in the pool.
	text func(p *Pool) string
}

// poolFields has an entry for each key of a pool.
var poolFields = map[string]field{
	"name":              {func(*poolCheck, *Key, *node) bool { return true }, func(p *Pool) string { return p.Name }},
	"doc":               {(*poolCheck).readDoc, func(p *Pool) string { return p.Doc }},
	"item":              {(*poolCheck).readItem, itemText},
	"allocator":         {(*poolCheck).readAllocator, allocatorText},
	"suballocator":      choiceField(func(p *Pool) *Suballocator { return &p.Suballocator }),
	"concurrency":       choiceField(func(p *Pool) *Concurrency { return &p.Concurrency }),
	"ordering":          choiceField(func(p *Pool) *Ordering { return &p.Ordering }),
	"growth":            choiceField(func(p *Pool) *Growth { return &p.Growth }),
	"across_streams":    choiceField(func(p *Pool) *AcrossStreams { return &p.AcrossStreams }),
	"capture":           choiceField(func(p *Pool) *Capture { return &p.Capture }),
	"fit":               choiceField(func(p *Pool) *Fit { return &p.Fit }),
	"zero":              choiceField(func(p *Pool) *Zero { return &p.Zero }),
	"stats":             choiceField(func(p *Pool) *StatsMode { return &p.Stats }),
	"block_size":        sizeField(func(p *Pool) *int64 { return &p.BlockSize }),
	"chunk_size":        sizeField(func(p *Pool) *int64 { return &p.ChunkSize }),
	"limit":             amountField(func(p *Pool) *int64 { return &p.Limit }),
	"max_limit":         amountField(func(p *Pool) *int64 { return &p.MaxLimit }),
	"soft_limit":        {(*poolCheck).readSoftLimit, softLimitText},
	"prime":             sizeField(func(p *Pool) *int64 { return &p.Prime }),
	"alignment":         sizeField(func(p *Pool) *int64 { return &p.Alignment }),
	"min_split":         amountField(func(p *Pool) *int64 { return &p.MinSplit }),
	"arena_size":        sizeField(func(p *Pool) *int64 { return &p.ArenaSize }),
	"magazine":          numberField(func(p *Pool) *int { return &p.Magazine }),
	"wait_timeout":      {(*poolCheck).readWaitTimeout, func(p *Pool) string { return p.WaitTimeout.String() }},
	"shareable":         boolField(func(p *Pool) *bool { return &p.Shareable }),
	"registered":        boolField(func(p *Pool) *bool { return &p.Registered }),
	"package_functions": boolField(func(p *Pool) *bool { return &p.PackageFunctions }),
	"profile":           boolField(func(p *Pool) *bool { return &p.Profile }),
	"tests":             boolField(func(p *Pool) *bool { return &p.Tests }),
	"c_header":          boolField(func(p *Pool) *bool { return &p.CHeader }),
	"device_view":       {(*poolCheck).readDeviceView, deviceViewText},
	"budget":            {(*poolCheck).readPoolBudget, func(p *Pool) string { return cmp.Or(p.Budget, "none") }},
	"guarantee":         sizeField(func(p *Pool) *int64 { return &p.Guarantee }),
	"priority":          numberField(func(p *Pool) *int { return &p.Priority }),
	"reclaim":           {(*poolCheck).readReclaim, func(p *Pool) string { return listText(p.Reclaim) }},
	"bins":              {(*poolCheck).readBins, binsText},
	"cache":             {(*poolCheck).readCache, cacheText},
	"on_exhausted":      {(*poolCheck).readLadder, ladderText},
	"device":            {(*poolCheck).readDevice, deviceText},
	"peers":             {(*poolCheck).readPeers, peersText},
	"driver_pool":       {(*poolCheck).readDriverPool, driverPoolText},
	"pinned_flags":      {(*poolCheck).readPinnedFlags, func(p *Pool) string { return listText(p.PinnedFlags) }},
	"trim":              {(*poolCheck).readTrim, trimText},
	"guard":             {(*poolCheck).readGuard, guardText},
	"sleep":             {(*poolCheck).readSleep, sleepText},
	"fallback":          {(*poolCheck).readFallback, func(p *Pool) string { return listText(p.Fallback) }},
	"lookup":            {(*poolCheck).readLookup, func(p *Pool) string { return listText(p.Lookup) }},
	"adapters":          {(*poolCheck).readAdapters, func(p *Pool) string { return listText(p.Adapters) }},
	"exports":           {(*poolCheck).readExports, func(p *Pool) string { return listText(p.Exports) }},
	"alloc":             functionField(func(p *Pool) *string { return &p.AllocFunc }),
	"free":              functionField(func(p *Pool) *string { return &p.FreeFunc }),
}

func choiceField[T ~string](at func(*Pool) *T) field {
	return field{
		read: func(c *poolCheck, k *Key, n *node) bool {
			v, ok := c.choice(n, k)
			if ok {
				*at(c.p) = T(v)
			}
			return ok
		},
		text: func(p *Pool) string { return string(*at(p)) },
	}
}

func sizeField(at func(*Pool) *int64) field {
	return field{
		read: func(c *poolCheck, k *Key, n *node) bool {
			v, ok := c.size(n, k)
			if ok {
				*at(c.p) = v
			}
			return ok
		},
		text: func(p *Pool) string { return FormatSize(*at(p)) },
	}
}

func numberField(at func(*Pool) *int) field {
	return field{
		read: func(c *poolCheck, k *Key, n *node) bool {
			v, ok := c.number(n, k)
			if ok {
				*at(c.p) = int(v)
			}
			return ok
		},
		text: func(p *Pool) string { return strconv.Itoa(*at(p)) },
	}
}

func boolField(at func(*Pool) *bool) field {
	return field{
		read: func(c *poolCheck, k *Key, n *node) bool {
			v, ok := c.boolean(n, k)
			if ok {
				*at(c.p) = v
			}
			return ok
		},
		text: func(p *Pool) string { return strconv.FormatBool(*at(p)) },
	}
}

func functionField(at func(*Pool) *string) field {
	return field{
		read: func(c *poolCheck, k *Key, n *node) bool {
			text, ok := c.scalar(n, k.Name)
			if ok && (!isIdentifier(text) || ownedByGo(text)) {
				c.fail(codeFunction, n, "write the bare name of a function of the output package", "%s %s is not the name of a function", k.Name, quote(text))
				return false
			}
			*at(c.p) = text
			return ok
		},
		text: func(p *Pool) string { return *at(p) },
	}
}

// amountField is a key that counts bytes, or numbers for allocator none.
func amountField(at func(*Pool) *int64) field {
	return field{
		read: func(c *poolCheck, k *Key, n *node) bool { return c.readAmount(k, n, at(c.p)) },
		text: func(p *Pool) string { return p.amount(*at(p)) },
	}
}

// amount prints a number of bytes, or of numbers for allocator none.
func (p *Pool) amount(n int64) string {
	if p.Allocator == NoAllocator && n != NoLimit {
		return strconv.FormatInt(n, 10)
	}
	return FormatSize(n)
}

func softLimitText(p *Pool) string {
	if p.SoftLimit == 0 {
		return "none"
	}
	return p.amount(p.SoftLimit)
}

// listText prints a list on one line.
func listText[T any](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

func peersText(p *Pool) string {
	if p.AllPeers {
		return WherePossible
	}
	return listText(p.Peers)
}

func itemText(p *Pool) string {
	switch p.Item.Kind {
	case ItemBytes:
		return "bytes"
	case ItemNumber:
		return "numbers"
	}
	return p.Item.Type
}

func binsText(p *Pool) string {
	words := make([]string, len(p.Bins))
	for i, b := range p.Bins {
		words[i] = FormatSize(b)
	}
	return listText(words)
}

func ladderText(p *Pool) string {
	words := make([]string, len(p.OnExhausted))
	for i, r := range p.OnExhausted {
		words[i] = string(r.Kind)
		if r.Kind == RungPool {
			words[i] += ":" + r.Pool
		}
	}
	return listText(words)
}

func deviceText(p *Pool) string {
	if p.Device.Kind == NumberedDevice {
		return strconv.Itoa(p.Device.Index)
	}
	return string(p.Device.Kind)
}

func cacheText(p *Pool) string {
	perBin := "none"
	if p.Cache.PerBin != NoLimit {
		perBin = strconv.FormatInt(p.Cache.PerBin, 10)
	}
	return "{per_bin: " + perBin + ", bytes: " + FormatSize(p.Cache.Bytes) + "}"
}

func trimText(p *Pool) string {
	if p.Trim == nil {
		return "none"
	}
	if p.Trim.When == TrimOnGrowth {
		return fmt.Sprintf("{keep: %s, when: growth}", FormatSize(p.Trim.Keep))
	}
	return fmt.Sprintf("{keep: %s, idle: %s}", FormatSize(p.Trim.Keep), p.Trim.Idle)
}

func guardText(p *Pool) string {
	if p.Guard == 0 {
		return "none"
	}
	return fmt.Sprintf("{one_in: %d}", p.Guard)
}

func sleepText(p *Pool) string {
	if p.Sleep == nil {
		return "none"
	}
	s := p.Sleep
	text := fmt.Sprintf("contents: %s, backing: %s, batch: %s", s.Contents, s.Backing, FormatSize(s.Batch))
	if s.Budget != "" {
		text += ", budget: " + s.Budget
	}
	return fmt.Sprintf("{%s, prime: %t}", text, s.Prime)
}

func driverPoolText(p *Pool) string {
	d := p.DriverPool
	if d == nil {
		return "default pool"
	}
	text := fmt.Sprintf("source: %s, type: %s, location: %s, max_size: %s, handles: %s, set_current: %t", d.Source, d.Type, d.Location, FormatSize(d.MaxSize), d.Handles,
		d.SetCurrent)
	if d.ReleaseThreshold.Written {
		text += ", release_threshold: " + FormatSize(d.ReleaseThreshold.Value)
	}
	var reuse []string
	for _, way := range []struct {
		name string
		Setting[bool]
	}{{"follow_events", d.ReuseFollow}, {"opportunistic", d.ReuseOpportune}, {"internal", d.ReuseInternal}} {
		if way.Written {
			reuse = append(reuse, fmt.Sprintf("%s: %t", way.name, way.Value))
		}
	}
	if len(reuse) > 0 {
		text += ", reuse: {" + strings.Join(reuse, ", ") + "}"
	}
	return "{" + text + "}"
}
