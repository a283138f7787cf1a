package harness

import "math"

// Load is the list of steps that a worker repeats. Each worker has its own.
type Load struct {
	Live  int  // blocks held at a time
	Batch bool // all of them are taken, then all freed
	Item  int64
	steps []Step
	at    int
	_     [128]byte
}

// Step replaces the block in a slot: it frees that block and allocates another.
type Step struct {
	Slot  uint32
	Items int
}

// Next returns the next step.
func (l *Load) Next() Step {
	s := l.steps[l.at]
	if l.at++; l.at == len(l.steps) {
		l.at = 0
	}
	return s
}

// Steps returns all steps.
func (l *Load) Steps() []Step { return l.steps }

// Bytes is the size of a step's block.
func (l *Load) Bytes(s Step) int64 { return int64(s.Items) * l.Item }

// Sizes are the fewest and the most items of a block, between which each octave is as likely as the others.
type Sizes struct{ Least, Most int }

// mean is how many items a block has on average.
func (s Sizes) mean() float64 {
	if s.Least == s.Most {
		return float64(s.Least)
	}
	return float64(s.Most-s.Least) / math.Log(float64(s.Most)/float64(s.Least))
}

// draw turns a number from 0 to 1 into a size.
func (s Sizes) draw(x float64) int {
	return int(float64(s.Least) * math.Pow(float64(s.Most)/float64(s.Least), x))
}

// random is xorshift64: the same on every machine.
type random uint64

func (r *random) next() uint64 {
	x := uint64(*r)
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	*r = random(x)
	return x
}

// Work is the work of a case, for the pool and for each peer.
type Work struct {
	Case
	Sizes
	Order Order
	Item  int64
	Chunk int64
}

// Loads are the work of each thread.
func (w Work) Loads() []*Load {
	all := make([]*Load, w.Threads)
	for i := range all {
		all[i] = w.load(random(88172645463325252 + uint64(i)*0x9e3779b97f4a7c15))
	}
	return all
}

func (w Work) load(r random) *Load {
	l := &Load{Live: w.Live, Batch: w.Name == batchCase, Item: w.Item}
	rounds := max(1<<14/w.Live, 2)
	for k := range rounds * w.Live {
		slot := k % w.Live
		if w.Order == AnyOrder && !l.Batch {
			slot = int(r.next() >> 32 * uint64(w.Live) >> 32)
		}
		l.steps = append(l.steps, Step{uint32(slot), w.draw(float64(r.next()>>11) / (1 << 53))})
	}
	return l
}

// bytes is how many bytes are live, in blocks of whole granules.
func (w Work) bytes(granule int64) float64 {
	return float64(w.Live*w.Threads) * max(w.mean()*float64(w.Item), float64(granule))
}

// Spans and Items make room for the blocks of a load. The pool's Alloc is a parameter only for its type.
func Spans[B any](l *Load, _ func(n int) (B, error)) []B { return make([]B, l.Live) }

// Items is Spans for pools of single items.
func Items[B any](l *Load, _ func() (B, error)) []B { return make([]B, l.Live) }
