package spec

// budgetEntry is a budget while it is checked.
type budgetEntry struct {
	limit int64
	name  *node
	at    *node // the limit
	prime int64 // bytes that its pools reserve when they are created
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
		}
	}
}

func (f *checker) budgetNames() []string {
	var out []string
	for _, b := range f.plan.Budgets {
		out = append(out, b.Name)
	}
	return out
}

// checkBudgetSums refuses budgets that cannot hold what their pools reserve when they are created.
func (f *checker) checkBudgetSums() {
	for _, c := range f.pools {
		if e := f.budgets[c.p.Budget]; e != nil && !c.broken && !c.bad["prime"] {
			e.prime = min(e.prime+c.p.Prime, maxSize)
			c.checkBudget(e)
		}
		if s := c.p.Sleep; s != nil && f.budgets[s.Budget] != nil && !c.broken && !c.bad["sleep"] && !c.bad["limit"] {
			e := f.budgets[s.Budget]
			e.prime = min(e.prime+min(s.primed(c), maxSize), maxSize)
		}
	}
	for _, b := range f.plan.Budgets {
		if e := f.budgets[b.Name]; e.prime > e.limit {
			r := f.reader
			r.who = "budget " + quote(b.Name) + ": "
			r.fail(codeLimits, e.at, "raise the limit, or lower prime", "limit %s is less than its pools reserve when they are created, %s", FormatSize(e.limit), FormatSize(e.prime))
		}
	}
}

// checkBudget refuses a budget that leaves no room for a single chunk of the pool.
func (c *poolCheck) checkBudget(e *budgetEntry) {
	if c.bad["chunk_size"] || c.bad["budget"] || c.p.ChunkSize <= e.limit {
		return
	}
	r := c.reader
	r.who = "budget " + quote(c.p.Budget) + ": "
	d := r.fail(codeBudgetChunk, e.at, "raise the limit to "+FormatSize(c.p.ChunkSize)+" at least, or lower chunk_size of the pool",
		"limit %s is below one chunk of pool %q, %s", FormatSize(e.limit), c.p.Name, FormatSize(c.p.ChunkSize))
	r.noteAt(d, c.at("chunk_size"), "the pool is here")
}
