package bench

// poolText describes a pool to the harness. Words that begin with $ are replaced.
const poolText = `
func zzBench$NAME() zzharness.Pool {
	return zzharness.Pool{
		Item: $ITEM, Granule: $GRANULE, Chunk: $CHUNK, Limit: $LIMIT, Single: $SINGLE, Order: zzharness.$ORDER, Alone: $ALONE, Streams: $STREAMS, Malloc: $MALLOC,
		Peers: []func() ([]zzharness.Peer, error){$PEERS},
		New: func() (zzharness.Instance, error) {
			pool, err := New$NAMEPool()
			if err != nil {
				return zzharness.Instance{}, err
			}
$TRACK			return zzharness.Instance{
				Effective: pool.Effective,
				First:     func() error { _, err := pool.Alloc($ONE); return err },
				Work:      func(l *zzharness.Load) (zzharness.Worker, error) { return zzWork$NAME(pool, l) },
$WORKON				Close:     pool.CloseForce,
			}, nil
		},
	}
}
`

const (
	trackText = `			if err := pool.Track(0, $LIMIT); err != nil {
				return zzharness.Instance{}, err
			}
`
	onField = `				WorkOn:    func(l *zzharness.Load) (zzharness.Worker, error) { return zzWorkOn$NAME(pool, l) },
`
)

// workText and onText begin a worker, and churnText ends it. The loops over batches come between them.
const (
	workText = `
func zzWork$NAME(pool *$NAMEPool, l *zzharness.Load) (zzharness.Worker, error) {
	blocks, filled := zzharness.$KIND(l, pool.Alloc), false
`
	onText = `
func zzWorkOn$NAME(pool *$NAMEPool, l *zzharness.Load) (zzharness.Worker, error) {
	stream, err := zzdriver.Stream($DEVICE)
	if err != nil {
		return nil, err
	}
	blocks, filled := zzharness.$KIND(l, pool.Alloc), false
`
	churnText = `	return func(n int) (_ int, err error) {
		for i := 0; i < len(blocks) && !filled; i++ {
			if blocks[i], err = $FIRST; err != nil {
				return 0, err
			}
		}
		filled = true
		for range n {
			s := l.Next()
			if err := $FREE; err != nil {
				return 0, err
			}
			b, err := $ALLOC
			if err != nil {
				return 0, err
			}
			blocks[s.Slot] = b
		}
		return n, nil
	}, nil
}
`
)

// The loops over batches.
const (
	itemBatches = `	if l.Batch {
		return func(n int) (done int, err error) {
			for ; done < n; done += len(blocks) {
				if _, err := pool.AllocBatch(blocks); err != nil {
					return 0, err
				}
				if err := pool.FreeBatch(blocks); err != nil {
					return 0, err
				}
			}
			return done, nil
		}, nil
	}
`
	spanBatches = `	if l.Batch {
		return func(n int) (done int, err error) {
			for ; done < n; done += len(blocks) {
				for i := range blocks {
					if blocks[i], err = pool.Alloc(l.Next().Items); err != nil {
						return 0, err
					}
				}
				for _, b := range blocks {
					if err := pool.Free(b); err != nil {
						return 0, err
					}
				}
			}
			return done, nil
		}, nil
	}
`
)

// bumpText allocates blocks and frees all of them together.
const bumpText = `
func zzWork$NAME(pool *$NAMEPool, l *zzharness.Load) (zzharness.Worker, error) {
	return func(n int) (int, error) {
		for range n {
			s := l.Next()
			if s.Slot == 0 {
				if err := pool.Reset(); err != nil {
					return 0, err
				}
			}
			if _, err := pool.Alloc(s.Items); err != nil {
				return 0, err
			}
		}
		return n, nil
	}, nil
}
`
