package spec

// budgetEntry is a budget while it is checked.
type budgetEntry struct {
	limit      int64
	name       *node
	at         *node // the limit
	start      int64 // bytes that its pools reserve when they are created, or that are guaranteed to them if that is more
	guaranteed int64
}

// checkBudgets reads the limits that pools share.
func (f *checker) checkBudgets(n *node) {
	if n == nil {
		return
	}
	items, ok := f.list(n, "budgets", "[{name: Scene, limit: 2GiB}]")
	f.unread["budgets"] = !ok
	for _, item := range items {
		r := f.reader
		r.who = "budget: "
		values, ok := r.block(item, BudgetSection, "a budget")
		if !ok {
			f.unread["budgets"] = true
			continue
		}
		e := &budgetEntry{limit: NoLimit, name: values["name"], at: values["limit"]}
		name := r.readName(e.name, item, "budget")
		if name == "none" {
			r.fail(codeName, e.name, "give it another name: Scene", "the name none stands for no budget")
			name = ""
		}
		r.who = "budget " + quote(name) + ": "
		if e.at == nil {
			r.fail(codeMissing, item, "add limit: 1GiB", "limit is missing")
		} else if v, ok := r.size(e.at, keyNamed(BudgetSection, "limit")); ok {
			e.limit = v
		}
		if first := f.budgets[name]; first != nil {
			d := r.fail(codeCollision, e.name, "give one of them another name", "another budget has the same name")
			r.noteAt(d, first.name, "the first one")
			continue
		}
		if name == "" {
			f.unread["budgets"] = true
		} else {
			f.budgets[name] = e
			f.plan.Budgets = append(f.plan.Budgets, Budget{Name: name, Limit: e.limit, Pos: e.name.pos})
			r.readScope(values, &f.plan.Budgets[len(f.plan.Budgets)-1])
		}
	}
}

// readScope reads who shares a budget.
func (r *reader) readScope(values map[string]*node, b *Budget) {
	b.Scope = ScopeProcess
	if n := values["scope"]; n != nil {
		v, ok := r.choice(n, keyNamed(BudgetSection, "scope"))
		if !ok {
			return // what it should be decides about lease
		}
		b.Scope = Scope(v)
	}
	n := values["lease"]
	switch {
	case n == nil && b.Scope == ScopeHost:
		b.Lease = min(usualLease, b.Limit)
	case n == nil:
	case b.Scope != ScopeHost:
		r.fail(codeCombination, n, "add scope: host, or leave lease out", "lease is for budgets that several processes share")
	default:
		v, ok := r.size(n, keyNamed(BudgetSection, "lease"))
		if ok && v > b.Limit {
			r.fail(codeLimits, n, "lower lease to "+FormatSize(b.Limit)+" at most", "lease %s is above limit %s", FormatSize(v), FormatSize(b.Limit))
		}
		b.Lease = v
	}
}

func (f *checker) budgetNames() []string {
	var out []string
	for _, b := range f.plan.Budgets {
		out = append(out, b.Name)
	}
	return out
}

// checkBudgetSums refuses budgets that cannot hold what their pools reserve when they are created, what is guaranteed to them, or one chunk of each.
func (f *checker) checkBudgetSums() {
	members := make(map[*budgetEntry][]*poolCheck)
	for _, c := range f.pools {
		if e := f.budgets[c.p.Budget]; e != nil && !c.broken && !c.bad["prime"] && !c.bad["guarantee"] {
			e.start = min(e.start+max(c.p.Prime, c.p.Guarantee), maxSize)
			e.guaranteed = min(e.guaranteed+c.p.Guarantee, maxSize)
			members[e] = append(members[e], c)
		}
		if s := c.p.Sleep; s != nil && f.budgets[s.Budget] != nil && !c.broken && !c.bad["sleep"] && !c.bad["limit"] {
			e := f.budgets[s.Budget]
			e.start = min(e.start+min(s.primed(c), maxSize), maxSize)
		}
	}
	for _, b := range f.plan.Budgets {
		e := f.budgets[b.Name]
		r := f.reader
		r.who = "budget " + quote(b.Name) + ": "
		switch {
		case e.guaranteed > e.limit:
			d := r.fail(codeGuarantee, e.at, "raise the limit, or lower guarantee", "limit %s is less than what is guaranteed to its pools, %s", FormatSize(e.limit), FormatSize(e.guaranteed))
			for _, c := range members[e] {
				if c.isSet("guarantee") {
					r.noteAt(d, c.at("guarantee"), FormatSize(c.p.Guarantee)+" of it")
				}
			}
			continue
		case e.start > e.limit:
			help, what := "raise the limit, or lower prime", ""
			if e.guaranteed > 0 {
				help, what = help+" and guarantee", " or are guaranteed"
			}
			r.fail(codeLimits, e.at, help, "limit %s is less than its pools reserve%s when they are created, %s", FormatSize(e.limit), what, FormatSize(e.start))
		}
		for _, c := range members[e] {
			c.checkBudget(e)
		}
	}
}

// checkBudget refuses a budget that leaves no room for a single chunk of the pool.
func (c *poolCheck) checkBudget(e *budgetEntry) {
	others := e.guaranteed - c.p.Guarantee
	if c.bad["chunk_size"] || c.bad["budget"] || c.p.ChunkSize <= e.limit-others {
		return
	}
	r := c.reader
	r.who = "budget " + quote(c.p.Budget) + ": "
	without := ""
	if others > 0 {
		without = " without the guarantees of other pools, " + FormatSize(others) + ","
	}
	d := r.fail(codeBudgetChunk, e.at, "raise the limit to "+FormatSize(c.p.ChunkSize+others)+" at least, or lower chunk_size of the pool",
		"limit %s%s is below one chunk of pool %q, %s", FormatSize(e.limit), without, c.p.Name, FormatSize(c.p.ChunkSize))
	r.noteAt(d, c.at("chunk_size"), "the pool is here")
}

// checkGuarantee refuses a guarantee that the limit of the pool does not allow.
func (c *poolCheck) checkGuarantee() {
	p := c.p
	if p.Guarantee <= p.Limit {
		return
	}
	limit := FormatSize(p.Limit)
	d := c.fail(codeGuarantee, c.at("guarantee"), "lower guarantee to "+limit+" at most, or raise limit to "+FormatSize(p.Guarantee), "guarantee %s is above limit %s", FormatSize(p.Guarantee), limit)
	if c.isSet("limit") {
		c.noteAt(d, c.at("limit"), "limit is set here")
	}
	c.bad["guarantee"] = true
}

// readReclaim reads the ways in which others may have the pool give memory back. An empty list is none.
func (c *poolCheck) readReclaim(k *Key, n *node) bool {
	if n.kind == listNode && len(n.items) == 0 {
		c.p.Reclaim = nil
		return true
	}
	words, at, ok := c.readWords(k, n, codeUnknownValue)
	if ok {
		c.p.Reclaim = nil
		for _, w := range words {
			c.p.Reclaim = append(c.p.Reclaim, ReclaimWay(w))
		}
		c.ways = at
	}
	return ok
}

// checkReclaim refuses to reclaim by a sleep that the pool does not have.
func (c *poolCheck) checkReclaim() {
	for i, way := range c.p.Reclaim {
		if way != ReclaimSleep || c.p.Sleep != nil || i >= len(c.ways) {
			continue
		}
		help := "remove sleep"
		if why, _ := keyNamed(PoolSection, "sleep").misfit(c.p, c.bad); why == "" {
			help = "add sleep: {contents: keep, backing: keep}, or remove sleep here"
		}
		c.fail(codeCombination, c.ways[i], help, "reclaim names sleep, and the pool has no key sleep")
	}
}
