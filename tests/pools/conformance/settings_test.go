package conformance

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// settingsPool is a pool of bytes whose settings change at run time.
type settingsPool interface {
	bytesPool
	SetLimit(int64) error
	Prime(int64) error
}

type opener func(...poolrt.Option) (settingsPool, error)

// opens returns the constructor of a pool.
func opens[P settingsPool](open func(...poolrt.Option) (P, error)) opener {
	return func(options ...poolrt.Option) (settingsPool, error) { return open(options...) }
}

// settable are pools with chunks of 1 MiB and a limit of 8 MiB, of each concurrency, with a trim policy and without.
var settable = map[string]opener{
	"none":                  opens(NewOwnBinsPool),
	"none, classes":         opens(NewOwnClassesPool),
	"mutex":                 opens(NewBinnedPool),
	"mutex, classes":        opens(NewBoundClassesPool),
	"sharded":               opens(NewSharedHeapPool),
	"sharded, binned":       opens(NewSharedBinsPool),
	"sharded, classes":      opens(NewSharedClassesPool),
	"sharded, binned, trim": opens(NewTrimmedBinsPool),
}

// Each option of a new pool does what it says, whatever the concurrency, and what a pool cannot follow is refused.
func TestSettings(t *testing.T) {
	for name, open := range settable {
		t.Run(name, func(t *testing.T) {
			try := func(check func(p settingsPool), options ...poolrt.Option) {
				t.Helper()
				p := must[settingsPool](t)(open(options...))
				check(p)
				want(t, p.Close(), nil)
			}
			refused := func(reason error, options ...poolrt.Option) {
				t.Helper()
				if _, err := open(options...); !errors.Is(err, reason) {
					t.Errorf("got %v, want %v", err, reason)
				}
			}
			reserves := func(bytes int64) func(settingsPool) {
				return func(p settingsPool) {
					t.Helper()
					if s := p.Stats(); s.Reserved != bytes {
						t.Errorf("reserved %d, want %d", s.Reserved, bytes)
					}
				}
			}
			try(func(p settingsPool) { fillAndFree(t, p, 2*mib) }, poolrt.WithLimit(2*mib))
			refused(poolrt.ErrBadSize, poolrt.WithLimit(8*mib+1))
			refused(poolrt.ErrBadSize, poolrt.WithLimit(-1))

			try(reserves(3*mib), poolrt.WithPrime(3*mib))
			refused(poolrt.ErrLimit, poolrt.WithPrime(9*mib))
			refused(poolrt.ErrLimit, poolrt.WithPrime(3*mib), poolrt.WithLimit(2*mib))
			refused(poolrt.ErrBadSize, poolrt.WithPrime(-1))

			try(func(p settingsPool) {
				b := must[[]byte](t)(p.Alloc(100))
				reserves(2 * mib)(p)
				want(t, p.Free(b), nil)
			}, poolrt.WithChunkSize(2*mib))
			refused(poolrt.ErrBadSize, poolrt.WithChunkSize(mib-1))
			refused(poolrt.ErrBadSize, poolrt.WithChunkSize(8*mib+1))

			keeps := func(least, most int64, policy *poolrt.TrimPolicy) {
				t.Helper()
				try(func(p settingsPool) {
					fillAndFree(t, p, 8*mib)
					p.Poll()
					if s := p.Stats(); s.Reserved < least || s.Reserved > most {
						t.Errorf("%d reserved after all was freed, want %d to %d", s.Reserved, least, most)
					}
				}, poolrt.WithTrim(policy))
			}
			keeps(2*mib, 2*mib, &poolrt.TrimPolicy{Keep: 2 * mib})
			keeps(0, 0, &poolrt.TrimPolicy{})
			keeps(8*mib, 8*mib, nil)
			refused(poolrt.ErrBadSize, poolrt.WithTrim(&poolrt.TrimPolicy{Keep: -1}))
		})
	}
}

// fillAndFree allocates blocks until the limit, and frees them. The pool reserves exactly the limit.
func fillAndFree(t *testing.T, p settingsPool, limit int64) {
	t.Helper()
	blocks, err := fill(func() ([]byte, error) { return p.Alloc(60 * kib) })
	want(t, err, poolrt.ErrLimit)
	if s := p.Stats(); s.Limit != limit || s.PeakReserved != limit || s.LiveBytes < limit*3/4 {
		t.Errorf("limit %d: %+v", limit, s)
	}
	for _, b := range blocks {
		want(t, p.Free(b), nil)
	}
}

// SetLimit and Prime change a pool in use: live blocks stay, and what would break a promise is refused and changes nothing.
func TestSettingsInUse(t *testing.T) {
	for name, open := range settable {
		t.Run(name, func(t *testing.T) {
			p := must[settingsPool](t)(open())
			want(t, p.Prime(4*mib), nil)
			b := must[[]byte](t)(p.Alloc(40 * kib))
			want(t, p.SetLimit(mib), nil) // empty chunks go
			want(t, p.SetLimit(mib-1), poolrt.ErrLive)
			want(t, p.SetLimit(8*mib+1), poolrt.ErrBadSize)
			want(t, p.Prime(2*mib), poolrt.ErrLimit)
			if s := p.Stats(); s.Limit != mib || s.Reserved != mib || s.Live != 1 {
				t.Errorf("%+v", s)
			}
			want(t, p.SetLimit(8*mib), nil)
			want(t, p.Free(b), nil)
			fillAndFree(t, p, 8*mib)
			want(t, p.Close(), nil)
		})
	}
}

// While goroutines raise and lower the limit, others allocate and free. The pool holds no more than the last limit in the end, and with the first one restored it
// serves all that it served before.
func TestLimitsWhileInUse(t *testing.T) {
	for _, name := range []string{"mutex", "mutex, classes", "sharded", "sharded, binned", "sharded, classes", "sharded, binned, trim"} {
		t.Run(name, func(t *testing.T) {
			p := must[settingsPool](t)(settable[name]())
			var workers sync.WaitGroup
			for seed := range uint64(6) {
				workers.Go(func() { churnAtLimit(t, p, rand.New(rand.NewPCG(seed, 0))) })
			}
			for seed := range uint64(2) {
				workers.Go(func() {
					r := rand.New(rand.NewPCG(seed, 1))
					for range 200 {
						if err := p.SetLimit(r.Int64N(9) * mib); err != nil && !errors.Is(err, poolrt.ErrLive) && !errors.Is(err, poolrt.ErrBadSize) {
							t.Errorf("set limit: %v", err)
						}
					}
				})
			}
			workers.Wait()
			if s := p.Stats(); s.Reserved > s.Limit || s.Live != 0 {
				t.Errorf("%+v", s)
			}
			want(t, p.SetLimit(8*mib), nil)
			fillAndFree(t, p, 8*mib)
			want(t, p.Close(), nil)
		})
	}
}

// churnAtLimit keeps up to 40 blocks of up to 40 KiB.
func churnAtLimit(t *testing.T, p settingsPool, r *rand.Rand) {
	var live [][]byte
	for range 2000 {
		b, err := p.Alloc(1 + r.IntN(40*kib))
		switch {
		case err == nil:
			live = append(live, b)
		case !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrTooLarge):
			t.Errorf("alloc: %v", err)
		}
		if n := len(live); n > 0 && (n > 40 || r.IntN(2) == 0) {
			if err := p.Free(live[n-1]); err != nil {
				t.Errorf("free: %v", err)
			}
			live = live[:n-1]
		}
	}
	for _, b := range live {
		if err := p.Free(b); err != nil {
			t.Errorf("free: %v", err)
		}
	}
}

// A program chooses between the allocators of the pool file, when it makes a pool. What is not listed is refused, and so is a device.
func TestWithAllocator(t *testing.T) {
	for name, chunks := range map[string]int64{"host": 0, "custom": 1} {
		p := must[*EitherPool](t)(NewEitherPool(poolrt.WithAllocator(name)))
		b := must[[]byte](t)(p.Alloc(1000))
		b[999] = 1
		if got, why := p.Effective(); got != name || why != "" || p.Requested() != name || taken.Load() != chunks {
			t.Errorf("%s: %s is in force (%s), %s requested; %d chunks of custom", name, got, why, p.Requested(), taken.Load())
		}
		want(t, p.Free(b), nil)
		want(t, p.Close(), nil)
		if taken.Load() != 0 {
			t.Errorf("%d chunks are left", taken.Load())
		}
	}
	for _, option := range []poolrt.Option{poolrt.WithAllocator("pinned"), poolrt.OnDevice(0)} {
		_, err := NewEitherPool(option)
		want(t, err, poolrt.ErrUnsupported)
	}
	_, err := NewHeapPool(poolrt.WithAllocator("custom"))
	want(t, err, poolrt.ErrUnsupported)
	want(t, must[*HeapPool](t)(NewHeapPool(poolrt.WithAllocator("host"))).Close(), nil)
}
