package runtime

// RecordOption says what Record records.
type RecordOption func(*recording)

// recording is what the options say.
type recording struct {
	pools []string
	oneIn uint64
}

// errEveryPool refuses a call that is about all pools.
func errEveryPool(op string, err error, detail string) *PoolError {
	return &PoolError{Pool: "all pools", Op: op, Err: err, Detail: detail, Limit: NoLimit}
}

// RecordPool has one pool recorded, by the name that Pools gives it. It may be given several times; without it, all pools are
// recorded. A pool is known from its first use on, so a name that no pool has is found when the trace ends: stop returns an error that says so.
func RecordPool(name string) RecordOption {
	return func(r *recording) { r.pools = append(r.pools, name) }
}

// RecordOneIn has one block in n recorded, from its allocation to its free: a trace of a load that is too heavy to be written down whole. What a pool that is tuned by
// such a trace reserves is to be multiplied by n.
func RecordOneIn(n int) RecordOption { return func(r *recording) { r.oneIn = uint64(max(n, 1)) } }
