// Package links links nodes by index: a hash table whose entries are blocks of a pool. The links are 32 bits long and no pointers, so the garbage collector
// does not look at the entries, however many there are.
package links

// Node is an entry of a table.
type Node struct {
	Key, Value uint64
	next       uint32 // index of the next entry with the same hash, 0 for the last
}

// Table is a map from keys to values, for one goroutine at a time. Make one with [NewTable].
type Table struct {
	pool  *NodePool
	heads []uint32 // index of the first entry, by hash
}

// NewTable returns an empty table with a number of hashes, a power of two: about as many as entries are expected.
func NewTable(hashes int) (*Table, error) {
	pool, err := NewNodePool()
	if err != nil {
		return nil, err
	}
	return &Table{pool, make([]uint32, hashes)}, nil
}

// Close returns all memory of the table.
func (t *Table) Close() error {
	t.heads = nil
	return t.pool.CloseForce()
}

// find returns the link that leads to the entry of a key; the link is 0 if there is no such entry.
func (t *Table) find(key uint64) *uint32 {
	link := &t.heads[hash(key)&uint64(len(t.heads)-1)]
	for *link != 0 {
		n := t.pool.AtIndex(*link)
		if n.Key == key {
			break
		}
		link = &n.next
	}
	return link
}

// hash spreads keys over the low bits.
func hash(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 >> 32 }

// Get returns the value of a key.
func (t *Table) Get(key uint64) (value uint64, ok bool) {
	n := t.pool.AtIndex(*t.find(key))
	if n == nil { // index 0 is that of no block
		return 0, false
	}
	return n.Value, true
}

// Put sets the value of a key. It fails if there is no room for one more entry.
func (t *Table) Put(key, value uint64) error {
	link := t.find(key)
	n := t.pool.AtIndex(*link)
	if n == nil {
		var err error
		if n, err = t.pool.Alloc(); err != nil {
			return err
		}
		*n = Node{Key: key}
		*link = t.pool.Index(n)
	}
	n.Value = value
	return nil
}

// Delete removes a key, and reports whether it was there.
func (t *Table) Delete(key uint64) bool {
	link := t.find(key)
	n := t.pool.AtIndex(*link)
	if n == nil {
		return false
	}
	*link = n.next
	return t.pool.Free(n) == nil
}
