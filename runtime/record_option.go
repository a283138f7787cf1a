package runtime

// RecordOption says what [Record] records.
type RecordOption func(*recording)

// recording is what the options say.
type recording struct {
	pools []string
	oneIn uint64
}

// errAllPools refuses a call that is about all pools.
func errAllPools(op string, err error, detail string) *PoolError {
	return &PoolError{Pool: "all pools", Op: op, Err: err, Detail: detail, Limit: NoLimit, bare: true}
}

// RecordPool records one pool, by the name that [Pools] gives it. It may be given several times; without it, all pools are recorded.
// Pools are known from their first use on, so a name that no pool has is noticed only at the end: stop returns an error that says so.
func RecordPool(name string) RecordOption {
	return func(r *recording) { r.pools = append(r.pools, name) }
}

// RecordOneIn records one block in n, from its allocation to its free, for a load that is too heavy to be recorded whole. Multiply by n
// what a pool reserves for such a trace.
func RecordOneIn(n int) RecordOption { return func(r *recording) { r.oneIn = uint64(max(n, 1)) } }
