package main

// The faults of this file show under few schedules only: nearly all are invisible to a single goroutine. They were planted before the scenarios of
// tests/schedules were read; the scenarios that some of them needed were written afterwards.

var strictSchedules = []fault{
	{name: "strict: a free looks at the gate before its block is free", file: "templates/strict/strict.go",
		old: "			old := word.Load()\n			if feature.Owns {\n				dead |= strict.Owned\n			}\n			if old&(bit|dead) == bit && (!feature.Magazines || !ch.AnyInMagazine(w, bit)) && word.CompareAndSwap(old, old-bit) {\n				if !feature.Trims && !ch.Full.Has(w/strict.Row) && c.Gate.IsQuiet() {",
		new: "			quiet := !feature.Trims && !ch.Full.Has(w/strict.Row) && c.Gate.IsQuiet()\n			old := word.Load()\n			if feature.Owns {\n				dead |= strict.Owned\n			}\n			if old&(bit|dead) == bit && (!feature.Magazines || !ch.AnyInMagazine(w, bit)) && word.CompareAndSwap(old, old-bit) {\n				if quiet {"},
	{name: "strict: a chunk is opened before the flag of its row is cleared", file: "runtime/poolimpl/cores/strict/seek.go",
		old: "		ch.Full.Clear(r)\n		c.open.Load().Set(ch.Slot)\n", new: "		c.open.Load().Set(ch.Slot)\n		ch.Full.Clear(r)\n"},
	{name: "strict: a free is done with flags before it opens the chunk", file: "runtime/poolimpl/cores/strict/seek.go",
		old: "		c.open.Load().Set(ch.Slot)\n		if c.Gate.NeedsOpen() {\n			c.Gate.Open()\n		}\n	})\n",
		new: "	})\n	c.open.Load().Set(ch.Slot)\n	if c.Gate.NeedsOpen() {\n		c.Gate.Open()\n	}\n"},
	{name: "strict: the blocks of a new chunk count before a search finds them", file: "runtime/poolimpl/cores/strict/chunks.go",
		old: "	c.openSlot(slot)\n	c.count.Add(blocks) // after the bit is set, for scan\n", new: "	c.count.Add(blocks)\n	c.openSlot(slot)\n"},
	{name: "strict: a chunk that could not be sealed keeps the flags of full rows", file: "runtime/poolimpl/cores/strict/seal.go",
		old: "		ch.Full.Clear(uint64(w) / Row)\n", new: ""},
	{name: "strict: the gate stays closed after a removal that failed", file: "runtime/poolimpl/cores/strict/gate.go",
		old: "func (g *Gate) Release() { g.next(0) }", new: "func (g *Gate) Release() { g.state.And(^held) }"},
}

const ownFile = "runtime/poolimpl/cores/strict/own.go"

var ownerSchedules = []fault{
	{name: "strict: a recall does not wait for owners at work", file: "runtime/poolimpl/cores/strict/recall.go",
		old: "	c.stopOwners()\n	poolimpl.Synchronize()\n", new: "	c.stopOwners()\n"},
	{name: "strict: a recall overlooks a processor that has just become an owner", file: "runtime/poolimpl/cores/strict/recall.go",
		old: "	for c.stopOwners() { // a processor that had read the old turn has claimed a word\n		poolimpl.Synchronize()\n	}\n", new: ""},
	{name: "strict: a recall takes words from owners before it waits", file: "runtime/poolimpl/cores/strict/recall.go",
		old: "	c.stopOwners()\n	poolimpl.Synchronize()\n",
		new: "	c.stopOwners()\n	for i := range c.Processors {\n		c.Processors[i].giveUp()\n	}\n	poolimpl.Synchronize()\n"},
	{name: "strict: a recall does not open the gate", file: "runtime/poolimpl/cores/strict/recall.go",
		old: "	c.Gate.Open() // it may have", new: "	// it may have"},
	{name: "strict: a recall leaves words with their owners", file: ownFile,
		old: "		word.And(^owner)\n", new: ""},
	{name: "strict: owners are stopped, and their words are used on", file: ownFile,
		old: "			own.Store(nil)\n", new: ""},
	{name: "strict: a processor becomes an owner in an exclusive turn", file: ownFile,
		old: "if p := poolimpl.Pin(); p < MaxProcessors && c.Turn.Load()&Exclusive == 0 {\n		m :=", new: "if p := poolimpl.Pin(); p < MaxProcessors {\n		m :="},
	{name: "strict: a processor claims a word while a recall looks for the one before", file: ownFile,
		old: "if m.held.Load() == nil && ch != nil {", new: "if m.Own.Load() == nil && ch != nil {"},
	{name: "strict: a word is claimed by a store", file: ownFile,
		old: "!word.CompareAndSwap(old, c.handOut(old, some)+OwnedBy(p)<<OwnerShift) {\n		return r\n	}\n",
		new: "false {\n		return r\n	}\n	word.Store(c.handOut(old, some) + OwnedBy(p)<<OwnerShift)\n"},
	{name: "strict: a word of another owner is claimed", file: ownFile,
		old: " || old >= countFull || ch", new: " || ch"},
	{name: "strict: a full word keeps its owner", file: ownFile,
		old: "		word.Store(old &^ owner)\n", new: ""},
	{name: "strict: who gave its word up uses it on", file: ownFile,
		old: "		poolimpl.StoreRelaxedPointer(&m.Own, nil)\n", new: ""},
	{name: "strict: a batch takes blocks that the owner has", file: ownFile,
		old: "some := lowestOf(^old&c.blocks, n)\n	if some == 0 || old&CountMask", new: "some := lowestOf(^old&c.blocks|1, n)\n	if some == 0 || old&CountMask"},
	{name: "strict: a batch frees a block twice in the word of its owner", file: ownFile,
		old: "old>>OwnerShift == OwnedBy(p) && c.isLive(r.Chunk, r.Word, old, r.Some) {", new: "old>>OwnerShift == OwnedBy(p) {"},
	{name: "strict: a free in the package is an owner's after a recall", file: ownFile,
		old: "	if c.Turn.Load()&Exclusive == 0 {\n		if old := word.Load()", new: "	{\n		if old := word.Load()"},
	{name: "strict: a free in the package takes any processor for the owner", file: ownFile,
		old: "old>>OwnerShift == OwnedBy(p) && c", new: "old&Owned != 0 && c"},
	{name: "strict: a failure is sure although a turn with owners has come", file: ownFile,
		old: "turn&drained != 0 && c.Turn.Load() == turn {", new: "turn&drained != 0 {"},
	{name: "strict: a failure is sure before words have come back from owners", file: ownFile,
		old: "r.Some == 0 && turn&drained != 0 && c", new: "r.Some == 0 && c"},
	{name: "strict: a failure does not recall words", file: ownFile,
		old: "			slot, r = c.allocOwning(n)\n		} else if", new: "			return c.allocOwning(n)\n		} else if"},
	{name: "strict: the package allocates in a word with an owner", file: "runtime/poolimpl/cores/strict/chunk.go",
		old: "some == 0 || old&Owned != 0 {", new: "some == 0 {"},
	{name: "strict: the package frees in a word with an owner", file: "runtime/poolimpl/cores/strict/run.go",
		old: "		case old&Owned != 0:\n			if c.freeOwn(r) {\n				return ch.Slot, poolimpl.Freed\n			}\n			c.recalled()\n", new: ""},
	{name: "strict: a row with a word that has an owner is flagged as full", file: "runtime/poolimpl/cores/strict/rows.go",
		old: "m.Words[w].Load()&(m.blocks|Owned) != m.blocks", new: "m.Words[w].Load()&m.blocks != m.blocks"},
	{name: "strict: an eviction trusts what it sees of owners", file: "runtime/poolimpl/cores/strict/seal.go",
		old: "s.taken > 0 && (!c.params.Owns || !c.IsOwning()) {", new: "s.taken > 0 {"},
	{name: "strict: the fast path frees in a word with an owner", file: "templates/strict/strict.go",
		old: "				dead |= strict.Owned\n", new: ""},
	{name: "strict: the fast path of an owner frees a block twice", file: "templates/strict/own.go",
		old: "i >= m.Blocks.Load() || old&bit == 0 {", new: "i >= m.Blocks.Load() {"},
	{name: "strict: the fast path of an owner frees what lies behind its word", file: "templates/strict/own.go",
		old: "i >= m.Blocks.Load() || old&bit == 0 {", new: "old&bit == 0 {"},
	{name: "strict: the fast path of an owner hands out a block of a full word", file: "templates/strict/own.go",
		old: "(next^old)>>strict.OwnerShift|bit>>perWord != 0 {", new: "(next^old)>>strict.OwnerShift|bit>>(perWord+1) != 0 {"},
}

var trimsSchedules = []fault{
	{name: "strict: a row is marked as idle without a second look", file: "runtime/poolimpl/cores/strict/idle.go",
		old: "		ch.Idle.Set(r)\n		if !ch.rowEmpty(r) {\n			ch.Idle.Clear(r)\n			return false\n		}\n", new: "		ch.Idle.Set(r)\n"},
}

var magazineSchedules = []fault{
	{name: "strict: blocks are taken for a magazine before it is said that they are in one", file: "runtime/poolimpl/cores/strict/fill.go",
		old: "	poolimpl.StoreRelaxed(inMagazine, uint32(some))\n	for {\n		old = word.Load()\n		if word.CompareAndSwap(old, c.handOut(old&^busy, some)) {\n",
		new: "	for {\n		old = word.Load()\n		if word.CompareAndSwap(old, c.handOut(old&^busy, some)) {\n			poolimpl.StoreRelaxed(inMagazine, uint32(some))\n"},
	{name: "strict: a free looks at the magazines before it reads the word", file: "templates/strict/strict.go",
		old: "			old := word.Load()\n			if feature.Owns {\n				dead |= strict.Owned\n			}\n			if old&(bit|dead) == bit && (!feature.Magazines || !ch.AnyInMagazine(w, bit)) &&",
		new: "			in := feature.Magazines && ch.AnyInMagazine(w, bit)\n			old := word.Load()\n			if old&(bit|dead) == bit && !in &&"},
	{name: "strict: a recall does not wait for the goroutines that are pinned", file: "runtime/poolimpl/cores/strict/recall.go",
		old: "	c.stopOwners()\n	poolimpl.Synchronize()\n", new: "	c.stopOwners()\n"},
	{name: "strict: a word can be used before its drained magazine is empty", file: "runtime/poolimpl/cores/strict/fill.go",
		old: "	poolimpl.StoreRelaxed(&m.inMagazine.some, 0)\n	poolimpl.StoreRelaxed(&m.Some, 0)\n	word.And(^busy)\n",
		new: "	word.And(^busy)\n	poolimpl.StoreRelaxed(&m.inMagazine.some, 0)\n	poolimpl.StoreRelaxed(&m.Some, 0)\n"},
	{name: "strict: a failure is sure even if the turn has ended", file: "runtime/poolimpl/cores/strict/recall.go",
		old: "ok || c.Turn.Load() == turn", new: "ok || c.Turn.Load() >= turn"},
	{name: "strict: blocks in magazines count for the peak", file: "runtime/poolimpl/cores/strict/usage.go",
		old: "c.scannedIn&drained == 0 || ", new: ""},
	{name: "strict: a turn without magazines counts as drained from its beginning", file: "runtime/poolimpl/cores/strict/recall.go",
		old: "	c.Turn.Add(1)\n	c.stopOwners", new: "	c.Turn.Add(1 + drained)\n	c.stopOwners"},
}

var streamSchedules = []fault{
	{name: "strict: a block becomes pending by a store", file: "runtime/poolimpl/cores/strict/pending.go",
		old: "if word.CompareAndSwap(old, old|b.in<<(c.pending&63)) {", new: "if word.Store(old | b.in<<(c.pending&63)); true {"},
	{name: "strict: a pending block is live again by a store", file: "runtime/poolimpl/cores/strict/pending.go",
		old: "if word.CompareAndSwap(old, next) {", new: "if word.Store(next); true {"},
	{name: "strict: a pending block is live before it is free", file: "runtime/poolimpl/cores/strict/pending.go",
		old: "		old := word.Load()\n		now := old &^ (some | some<<(c.pending&63))\n		if word.CompareAndSwap(old, now) {\n",
		new: "		word.And(^(some << (c.pending & 63)))\n		old := word.Load()\n		now := old &^ some\n		if word.CompareAndSwap(old, now) {\n"},
}

var slabsSchedules = []fault{
	{name: "slabs: a line is noted before its block is free", file: "runtime/poolimpl/cores/slabs/slabs.go",
		old: "		if p.word.CompareAndSwap(old, old&^p.bit()) {\n			if old&all == all {\n				s.noteOpened(p.w)\n			}\n",
		new: "		if old&all == all {\n			s.noteOpened(p.w)\n		}\n		if p.word.CompareAndSwap(old, old&^p.bit()) {\n"},
	{name: "slabs: a slab is entered in the changes before it changes", file: "runtime/poolimpl/cores/slabs/slabs.go",
		old: "		if p.word.CompareAndSwap(old, old&^p.bit()) {\n			if old&all == all {\n				s.noteOpened(p.w)\n			}\n			s.noteChange()\n",
		new: "		s.noteChange()\n		if p.word.CompareAndSwap(old, old&^p.bit()) {\n			if old&all == all {\n				s.noteOpened(p.w)\n			}\n"},
	{name: "slabs: a slab is said to be in the changes before it is", file: "runtime/poolimpl/cores/slabs/changes.go",
		old: "	s.changes.mu.Lock()\n	if s.changed.Load() == 0 {\n		s.changed.Store(1)\n", new: "	was := s.changed.Swap(1)\n	s.changes.mu.Lock()\n	if was == 0 {\n"},
	{name: "slabs: slabs are spent without a second look at the changes", file: "runtime/poolimpl/cores/slabs/changes.go",
		old: "	if c.changed() > 0 { // or else, whoever enters a slab from now on finds spent set\n		c.spent.Store(false)\n	}\n", new: ""},
	{name: "slabs: the blocks of a slab are read before it is dissolved", file: "runtime/poolimpl/cores/slabs/dissolve.go",
		old: "		left[w] = s.line(uint32(w)).word.Or(sealed|all) &^ (absent | sealed | s.countFull())\n",
		new: "		left[w] = s.line(uint32(w)).word.Load() &^ (absent | sealed | s.countFull())\n		s.line(uint32(w)).word.Or(sealed | all)\n"},
	{name: "slabs: a slab serves before its pages lead to it", file: "runtime/poolimpl/cores/slabs/supply.go",
		old: "	if !c.setPages(s) { // before a block of it is handed out\n		c.back.Free(s.addr, s.room)\n		return nil\n	}\n", new: "	defer c.setPages(s)\n"},
	{name: "slabs: a search does not see memory that moves meanwhile", file: "runtime/poolimpl/cores/slabs/search.go",
		old: "	isSearched = isSearched && c.moves.Load() == moves\n", new: ""},
	{name: "slabs: memory counts as moved before it moves", file: "runtime/poolimpl/cores/slabs/supply.go",
		old: "	c.back.Free(s.addr, s.room)\n	c.moves.Add(1)\n", new: "	c.moves.Add(1)\n	c.back.Free(s.addr, s.room)\n"},
	{name: "slabs: a slab is entered in the changes before the length is stored", file: "runtime/poolimpl/cores/slabs/slabs.go",
		old: "				off = s.noteAsked(w, uint64(bits.TrailingZeros64(free)), bytes)\n				s.noteChange()\n",
		new: "				s.noteChange()\n				off = s.noteAsked(w, uint64(bits.TrailingZeros64(free)), bytes)\n"},
	{name: "slabs: a line is sealed by a store", file: "runtime/poolimpl/cores/slabs/seal.go",
		old: "if word.CompareAndSwap(old, old|sealed|all) {", new: "if word.Store(old | sealed | all); true {"},
	{name: "slabs: a slab is taken without the lock", file: "runtime/poolimpl/cores/slabs/room.go",
		old: "	c.mu.Lock()\n	defer c.mu.Unlock()\n	s := c.addSlab(d, b)\n", new: "	s := c.addSlab(d, b)\n"},
	{name: "slabs: an opened line is added by a store", file: "runtime/poolimpl/cores/slabs/opened.go",
		old: "if o.word.CompareAndSwap(old, old<<indexBits|uint64(i+1)) {", new: "if o.word.Store(old<<indexBits | uint64(i+1)); true {"},
}

var slabsStreamSchedules = []fault{
	{name: "slabs: a pending block is freed in a slab that is being dissolved", file: "runtime/poolimpl/cores/slabs/pending.go",
		old: "		if old&sealed != 0 {\n			return false\n		}\n", new: ""},
	{name: "slabs: the count of a word is moved by a store", file: "runtime/poolimpl/cores/slabs/count.go",
		old: "if word.CompareAndSwap(old, old&^s.countFull()) {", new: "if word.Store(old &^ s.countFull()); true {"},
}

var shardsSchedules = []fault{
	{name: "shards: a shard has a chunk before the addresses lead to it", file: "runtime/poolimpl/cores/shards/chunks.go",
		old: "	c.chunks.Add(slot, base, size, ch)\n	s.mu.Lock()\n	s.used.Store(true)\n	s.core.Add(slot, base, size)\n	s.noteFreed(ch)\n	s.mu.Unlock()\n",
		new: "	s.mu.Lock()\n	s.used.Store(true)\n	s.core.Add(slot, base, size)\n	s.noteFreed(ch)\n	s.mu.Unlock()\n	c.chunks.Add(slot, base, size, ch)\n"},
	{name: "shards: the lock is released between the look at a chunk and its removal", file: "runtime/poolimpl/cores/shards/chunks.go",
		old: "	empty := s.core.Used(slot) == 0\n	if empty {\n", new: "	empty := s.core.Used(slot) == 0\n	s.mu.Unlock()\n	s.mu.Lock()\n	if empty {\n"},
	{name: "shards: shards are unlocked before all of them are known to be empty", file: "runtime/poolimpl/cores/shards/shut.go",
		old: "		u = addUsage(u, all[i].core.Usage())\n	}\n	ended := force || u.Live == 0\n	for i := range all {\n",
		new: "		u = addUsage(u, all[i].core.Usage())\n		all[i].mu.Unlock()\n	}\n	ended := force || u.Live == 0\n	for i := range all {\n		all[i].mu.Lock()\n"},
	{name: "shards: addresses lead to no chunk while it is not known to be empty", file: "runtime/poolimpl/cores/shards/chunks.go",
		old: "	s.mu.Lock()\n	empty := s.core.Used(slot) == 0\n	if empty {\n		s.core.Remove(slot)\n		s.forgetFreed(ch)\n	}\n	s.mu.Unlock()\n	if empty {\n		c.chunks.Remove(slot)\n	}\n",
		new: "	c.chunks.Remove(slot)\n	s.mu.Lock()\n	empty := s.core.Used(slot) == 0\n	if empty {\n		s.core.Remove(slot)\n		s.forgetFreed(ch)\n	}\n	s.mu.Unlock()\n	if !empty {\n		c.chunks.Add(slot, ch.base, ch.size, ch)\n	}\n"},
}

var stripsSchedules = []fault{
	{name: "strips: a strip is sealed by a store", file: "runtime/poolimpl/cores/strips/strip.go",
		old: "func (s *strip) seal() uint64 { return s.word.Or(sealed) }", new: "func (s *strip) seal() uint64 {\n	w := s.word.Load()\n	s.word.Store(w | sealed)\n	return w\n}"},
	{name: "strips: a block of the fast path is taken by an addition", file: "runtime/poolimpl/cores/strips/strips.go",
		old: "!s.word.CompareAndSwap(w, w+s.taking(bytes)) {", new: "s.word.Add(s.taking(bytes)) == 0 {"},
	{name: "strips: others use a new strip before the caller has a block of it", file: "runtime/poolimpl/cores/strips/strips.go",
		old: "		off, ok = s.alloc(bytes, align)\n		l.strip.Store(s)\n", new: "		l.strip.Store(s)\n		off, ok = s.alloc(bytes, align)\n"},
}

var chunkMapSchedules = []fault{
	{name: "chunkmap: a chunk hides one that is added until its slot leads to it", file: "runtime/poolimpl/chunkmap.go",
		old: "	atomic.StorePointer(&m.only, nil)\n", new: ""},
	{name: "chunkmap: longer slots replace the others before they are filled", file: "runtime/poolimpl/chunkmap.go",
		old: "	copy(list, old) // which only the caller writes to\n	m.slots.Store(&list)\n", new: "	m.slots.Store(&list)\n	for i := range old {\n		atomic.StorePointer(&list[i], old[i])\n	}\n"},
	{name: "directory: new parts replace the others before they are filled", file: "runtime/poolimpl/directory.go",
		old: "	for _, slot := range order {\n		d.enter(p, slot, d.chunks[slot])\n	}\n	d.parts.Store(p)\n", new: "	d.parts.Store(p)\n	for _, slot := range order {\n		d.enter(p, slot, d.chunks[slot])\n	}\n"},
}

var bitmapSchedules = []fault{
	{name: "bitmap: the summary is left to whoever has set the bit", file: "runtime/poolimpl/bitmap.go",
		old: "word.Load()&bit == 0 {\n		word.Or(bit)\n	}\n	m.setSummary(i / 64)\n", new: "word.Load()&bit == 0 {\n		word.Or(bit)\n		m.setSummary(i / 64)\n	}\n"},
	{name: "bitmap: the summary is set before the bit", file: "runtime/poolimpl/bitmap.go",
		old: "	if word, bit := &m.words[i/64], uint64(1)<<(i%64); word.Load()&bit == 0 {\n		word.Or(bit)\n	}\n	m.setSummary(i / 64)\n",
		new: "	m.setSummary(i / 64)\n	if word, bit := &m.words[i/64], uint64(1)<<(i%64); word.Load()&bit == 0 {\n		word.Or(bit)\n	}\n"},
	{name: "bitmap: the summary is cleared by a store", file: "runtime/poolimpl/bitmap.go",
		old: "	m.summary[w/64].And(^(uint64(1) << (w % 64)))\n", new: "	m.summary[w/64].Store(m.summary[w/64].Load() &^ (uint64(1) << (w % 64)))\n"},
}
