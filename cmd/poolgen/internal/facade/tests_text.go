package facade

// The parts of test files. Words that begin with $ are replaced.

// testText are the tests that package pooltest has for all pools, and the description of this one.
const testText = `
// TestPoolgen$NAME tests pools like $NAMEPool: one block, misuse, the limit, several goroutines, Close. Each test has a pool of its own,
// limited to a few MiB; the package's pool is not used. On a machine without such memory, the tests are skipped with the reason.
func TestPoolgen$NAME(t *testing.T) { pooltest.Smoke(t, $PREFIXTrial) }

// FuzzPoolgen$NAME compares sequences of calls with a model of what is live.
func FuzzPoolgen$NAME(f *testing.F) { pooltest.Fuzz(f, $PREFIXTrial) }

// $PREFIXTrial describes an unused pool to the tests.
func $PREFIXTrial(t testing.TB, pool *$NAMEPool) *pooltest.Pool[$BLOCK] {
	t.Helper()
	trial := pooltest.Pool[$BLOCK]{
		Traits: pooltest.Traits{$TRAITS},
		Whole:  pool,
$CALLS	}
$STREAMS	return pooltest.Open(t, trial)
}
`

// The calls of each form.
const (
	itemCalls = `		Alloc:        func(int) ($BLOCK, error) { return pool.Alloc() },
		TryAlloc:     func(int) ($BLOCK, bool) { return pool.TryAlloc() },
		AllocContext: func(ctx context.Context, _ int) ($BLOCK, error) { return pool.AllocContext(ctx) },
		AllocBatch:   pool.AllocBatch,
		FreeBatch:    pool.FreeBatch,
`
	spanCalls = `		Alloc:        pool.Alloc,
		TryAlloc:     pool.TryAlloc,
		AllocContext: pool.AllocContext,
		AllocAligned: pool.AllocAligned,
`
	markCall = `		Mark: func() func() error {
			mark := pool.Mark()
			return func() error { return pool.Release(mark) }
		},
`
	// streamCalls give the test two streams.
	streamCalls = `	for range 2 { // without a driver, the pool is on the host, or the test is skipped below
		s, err := cuda.Device($DEVICE).NewStream(cuda.NonBlocking)
		if err != nil {
			break
		}
		t.Cleanup(func() { _ = s.Close() })
		trial.Streams = append(trial.Streams, pooltest.Stream[$BLOCK]{
$ON			FreeAsync:   func(block $BLOCK) error { return pool.FreeAsync(block, s) },
			Synchronize: s.Synchronize,
		})
	}
`
	itemOn = `			Alloc:       func(int) ($BLOCK, error) { return pool.AllocOn(s) },
			Free:        func(block $BLOCK) error { return pool.FreeOn(block, s) },
`
	spanOn = `			Alloc:       func(n int) ($BLOCK, error) { return pool.AllocOn(n, s) },
			Free:        func(block $BLOCK) error { return pool.FreeOn(block, s) },
`
)

// benchText measures pools whose blocks are freed one by one.
const benchText = `
// BenchmarkPoolgen$NAME measures Alloc and Free: in pairs, in batches of 64$BESIDE. Growth is not part of it.
func BenchmarkPoolgen$NAME(b *testing.B) {
	b.Run("pair", func(b *testing.B) {
		pool := new($NAMEPool)
		$PREFIXTrial(b, pool).Warm(b, 1, $N)
		for b.Loop() {
			block, err := pool.Alloc($ARG)
			if err != nil {
				b.Fatal(err)
			}
			if err := pool.Free(block); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("batch", func(b *testing.B) {
		pool, blocks := new($NAMEPool), make([]$BLOCK, 64)
		$PREFIXTrial(b, pool).Warm(b, len(blocks), $N)
		for b.Loop() {
$BATCH		}
	})
$PARALLEL}
`

const (
	itemBatch = `			if _, err := pool.AllocBatch(blocks); err != nil {
				b.Fatal(err)
			}
			if err := pool.FreeBatch(blocks); err != nil {
				b.Fatal(err)
			}
`
	spanBatch = `			for i := range blocks {
				var err error
				if blocks[i], err = pool.Alloc($ARG); err != nil {
					b.Fatal(err)
				}
			}
			for _, block := range blocks {
				if err := pool.Free(block); err != nil {
					b.Fatal(err)
				}
			}
`
	parallelText = `	b.Run("parallel", func(b *testing.B) {
		pool := new($NAMEPool)
		$PREFIXTrial(b, pool).Warm(b, runtime.GOMAXPROCS(0), $N)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				block, err := pool.Alloc($ARG)
				if err == nil {
					err = pool.Free(block)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
`
)

// bumpBenchText measures pools whose blocks are freed all at once.
const bumpBenchText = `
// BenchmarkPoolgen$NAME measures Alloc, with a Reset every 64 blocks.
func BenchmarkPoolgen$NAME(b *testing.B) {
	pool := new($NAMEPool)
	$PREFIXTrial(b, pool).Warm(b, 64, $N)
	for i := 0; b.Loop(); i++ {
		if i%64 == 0 {
			if err := pool.Reset(); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := pool.Alloc($N); err != nil {
			b.Fatal(err)
		}
	}
}
`

// exampleText shows the life of a pool and of a block.
const exampleText = `
// The life of a pool and of one block.
func Example$NAMEPool() {
	var pool $NAMEPool // ready to use
$FIRST	block, err := pool.Alloc($ARG)
	if err != nil {
		fmt.Println(err)
		return
	}
$USE	fmt.Println($ENDS, pool.Close())
$OUTPUT}
`
