package spec

import (
	"slices"
	"strings"
	"unicode"
)

// readDoc accepts any text, folded to plain lines. Control characters in the file were refused
// earlier, but a quoted scalar can contain them as escapes.
func (c *poolCheck) readDoc(k *Key, n *node) bool {
	text, ok := c.scalar(n, k.Name)
	if !ok {
		return false
	}
	for _, r := range text {
		if r != '\n' && r != '\t' && (hidden(r) || r == unicode.ReplacementChar) {
			c.fail(codeDoc, n, "remove it; a new line is written as a new line below doc: |", "doc holds the character %U, which is not text", r)
			return false
		}
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	c.p.Doc = strings.Trim(strings.Join(lines, "\n"), "\n")
	return true
}

// readAmount reads bytes or, for allocator none, numbers, which have no unit. An amount of defaults with a unit is meant for bytes, and skipped.
func (c *poolCheck) readAmount(k *Key, n *node, at *int64) bool {
	_, suffix := splitSize(n.value)
	if c.p.Allocator == NoAllocator && n.kind == scalarNode && n.value != "none" && unitNamed(suffix) != nil {
		if c.from[k.Name] == FromDefaults {
			c.skip[k.Name] = "it is in bytes, and the pool hands out numbers"
			return true
		}
		c.fail(codeSize, n, "write a whole number, without a unit", "%s %s is in bytes, and allocator none hands out numbers", k.Name, quote(n.value))
		return false
	}
	v, ok := c.size(n, k)
	if ok {
		*at = v
	}
	return ok
}

func (c *poolCheck) readSoftLimit(k *Key, n *node) bool {
	ok := c.readAmount(k, n, &c.p.SoftLimit)
	if c.p.SoftLimit == NoLimit {
		c.p.SoftLimit = 0
	}
	return ok
}

func (c *poolCheck) readWaitTimeout(k *Key, n *node) bool {
	v, ok := c.duration(n, k)
	if ok {
		c.p.WaitTimeout = v
	}
	return ok
}

func (c *poolCheck) readPoolBudget(k *Key, n *node) bool { return c.readBudget(k, n, &c.p.Budget) }

// readBudget reads the name of a budget.
func (c *poolCheck) readBudget(k *Key, n *node, at *string) bool {
	text, ok := c.scalar(n, k.Name)
	if !ok {
		return false
	}
	if text == "none" && k.None {
		return true
	}
	if c.file.budgets[text] == nil {
		if c.file.unread["budgets"] {
			return false
		}
		help := "add it to budgets: [{name: " + text + ", limit: 1GiB}]"
		if known := c.file.budgetNames(); len(known) > 0 {
			help = didYouMean(text, known)
		}
		c.fail(codeBudget, n, help, "budget %s is not known", quote(text))
		return false
	}
	*at = text
	return true
}

func (c *poolCheck) readCache(k *Key, n *node) bool {
	values, ok := c.block(n, CacheSection, k.Name)
	if !ok {
		return false
	}
	if len(values) == 0 && len(n.pairs) == 0 {
		c.fail(codeKind, n, "write "+k.Example, "cache is empty")
		return false
	}
	for name, at := range map[string]*int64{"per_bin": &c.p.Cache.PerBin, "bytes": &c.p.Cache.Bytes} {
		if v := values[name]; v != nil {
			sub := keyNamed(CacheSection, name)
			read := c.size
			if sub.Kind == NumberKind {
				read = c.number
			}
			x, good := read(v, sub)
			if good {
				*at = x
			}
			ok = ok && good
		}
	}
	return ok
}

// blockOrNone reads a block that has keys, or the word none: then there are no values, and ok is true.
func (c *poolCheck) blockOrNone(k *Key, n *node, section Section) (values map[string]*node, ok bool) {
	if n.kind == scalarNode && n.value == "none" {
		return nil, true
	}
	if values, ok = c.block(n, section, k.Name); !ok {
		return nil, false
	}
	if len(values) == 0 && len(n.pairs) == 0 {
		c.fail(codeKind, n, "write "+k.Example, "%s is empty", k.Name)
		return nil, false
	}
	return values, true
}

func (c *poolCheck) readTrim(k *Key, n *node) bool {
	values, ok := c.blockOrNone(k, n, TrimSection)
	if values == nil {
		return ok
	}
	c.p.Trim = &Trim{When: TrimOnFree}
	if v := values["keep"]; v != nil {
		x, good := c.size(v, keyNamed(TrimSection, "keep"))
		c.p.Trim.Keep, ok = x, ok && good
	}
	if v := values["idle"]; v != nil {
		x, good := c.duration(v, keyNamed(TrimSection, "idle"))
		c.p.Trim.Idle, ok = x, ok && good
	}
	if v := values["when"]; v != nil {
		x, good := c.choice(v, keyNamed(TrimSection, "when"))
		c.p.Trim.When, ok = TrimTime(x), ok && good
		if idle := values["idle"]; ok && idle != nil && x == string(TrimOnGrowth) {
			c.fail(codeCombination, idle, "leave out one of idle and when", "trim when growth does not wait for chunks to have been empty for a while")
			return false
		}
	}
	return ok
}

func (c *poolCheck) readSleep(k *Key, n *node) bool {
	values, ok := c.blockOrNone(k, n, SleepSection)
	if values == nil {
		return ok
	}
	s := &Sleep{Contents: SleepKeep, Backing: BackingKeep, Batch: DefaultBatch}
	c.p.Sleep = s
	if v := values["contents"]; v != nil {
		x, good := c.choice(v, keyNamed(SleepSection, "contents"))
		s.Contents, ok = SleepContents(x), ok && good
	}
	if v := values["backing"]; v != nil {
		x, good := c.choice(v, keyNamed(SleepSection, "backing"))
		s.Backing, ok = SleepBacking(x), ok && good
	}
	if v := values["batch"]; v != nil {
		x, good := c.size(v, keyNamed(SleepSection, "batch"))
		s.Batch, ok = x, ok && good
	}
	if v := values["budget"]; v != nil {
		ok = c.readBudget(keyNamed(SleepSection, "budget"), v, &s.Budget) && ok
	}
	if v := values["prime"]; v != nil {
		x, good := c.boolean(v, keyNamed(SleepSection, "prime"))
		s.Prime, ok = x, ok && good
	}
	return ok
}

func (c *poolCheck) readDevice(k *Key, n *node) bool {
	if n.kind == scalarNode && slices.Contains(k.Values, n.value) {
		c.p.Device = Device{Kind: DeviceKind(n.value)}
		return true
	}
	if n.kind == scalarNode && n.plain && n.text && n.value != "" {
		help := didYouMean(n.value, k.Values) + ", or a number"
		if digits := strings.TrimLeftFunc(n.value, func(r rune) bool { return !unicode.IsDigit(r) }); digits != "" && strings.Trim(digits, "0123456789") == "" {
			help = "write device: " + digits
		}
		c.fail(codeUnknownValue, n, help, "device %s is not known", quote(n.value))
		return false
	}
	v, ok := c.number(n, k)
	c.p.Device = Device{Kind: NumberedDevice, Index: int(v)}
	return ok
}

func (c *poolCheck) readPeers(k *Key, n *node) bool {
	if n.kind == scalarNode && n.text && n.value != "" {
		_, ok := c.choice(n, k)
		c.p.AllPeers = ok
		return ok
	}
	items, ok := c.list(n, k.Name, k.Example)
	seen := make(map[int64]*node)
	element := Key{Name: "peer", Max: k.Max}
	for _, item := range items {
		v, good := c.number(item, &element)
		if good && seen[v] != nil {
			d := c.fail(codeDevice, item, "remove one of them", "peer %d is listed twice", v)
			c.noteAt(d, seen[v], "first listed here")
			good = false
		}
		if good {
			seen[v] = item
			c.p.Peers = append(c.p.Peers, int(v))
		}
		ok = ok && good
	}
	return ok
}

// readWords reads a list of words of the key, without repetitions.
func (c *poolCheck) readWords(k *Key, n *node, code Code) (words []string, at []*node, ok bool) {
	items, ok := c.list(n, k.Name, k.Example)
	if ok && len(items) == 0 {
		c.fail(codeKind, n, "write "+k.Name+": "+k.Example+", or leave it out", "%s is empty", k.Name)
		return nil, nil, false
	}
	seen := make(map[string]*node)
	for _, item := range items {
		element := Key{Name: "the entry", Values: k.Values}
		word, good := c.choice(item, &element)
		if good && seen[word] != nil {
			d := c.fail(code, item, "remove one of them", "%s lists %s twice", k.Name, word)
			c.noteAt(d, seen[word], "first listed here")
			good = false
		}
		if good {
			seen[word] = item
			words, at = append(words, word), append(at, item)
		}
		ok = ok && good
	}
	return words, at, ok
}

func (c *poolCheck) readPinnedFlags(k *Key, n *node) bool {
	if n.kind == scalarNode && !n.null { // a single flag needs no brackets
		n = &node{kind: listNode, items: []*node{n}, pos: n.pos, end: n.end}
	}
	words, _, ok := c.readWords(k, n, codeUnknownValue)
	if ok {
		c.p.PinnedFlags = words
	}
	return ok
}
