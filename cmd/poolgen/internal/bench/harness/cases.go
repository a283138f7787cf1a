package harness

import "fmt"

// Case is one thing that is measured of a pool and of its peers.
type Case struct {
	Name     string `json:"case"`
	Live     int    `json:"live"`      // blocks that each thread holds; 0 where that says nothing
	Threads  int    `json:"threads"`   // goroutines at work, and processors for them
	OnStream bool   `json:"on_stream"` // by AllocOn and FreeOn
}

// String describes the case in words.
func (c Case) String() string {
	text := map[string]string{
		growthCase: "first block of a new pool",
		churnCase:  fmt.Sprintf("%d live", c.Live),
		batchCase:  fmt.Sprintf("batch of %d", c.Live),
	}[c.Name]
	if c.OnStream {
		text += ", on a stream"
	}
	if c.Threads > 1 {
		text += fmt.Sprintf(", %d threads", c.Threads)
	}
	return text
}

// Names of cases.
const (
	growthCase = "growth" // the first block of a new pool
	churnCase  = "churn"  // any of the live blocks is freed, and another one taken
	batchCase  = "batch"  // blocks are taken together, and then freed together
)

// batch is the number of blocks in a batch.
const batch = 64

// lives are the numbers of live blocks in a churn. One live block is measured only if all blocks have the same size.
var lives = []int{1, 100, 1000}

// cases lists the cases that fit within the limit of a pool, with up to that many threads, and the sizes of blocks.
func (p *Pool) cases(procs int) (list []Case, sizes Sizes) {
	if p.Chunk > 0 {
		list = append(list, Case{Name: growthCase, Threads: 1})
	}
	if p.Alone {
		procs = 1
	}
	sizes = p.sizes(100 * procs)
	add := func(c Case) {
		if p.fits(c.Live*c.Threads, sizes) {
			list = append(list, c)
		}
	}
	for threads := 1; ; threads = procs {
		for _, live := range lives {
			if live > 1 || p.Single {
				add(Case{Name: churnCase, Live: live, Threads: threads})
			}
		}
		if p.Order != AllAtOnce {
			add(Case{Name: batchCase, Live: batch, Threads: threads})
		}
		if p.Streams {
			add(Case{Name: churnCase, Live: 100, Threads: threads, OnStream: true})
		}
		if threads == procs {
			return list, sizes
		}
	}
}

// Bounds of the sizes that are drawn, unless the pool cannot serve them.
const (
	leastBytes = 16
	mostBytes  = 64 << 10
	mostItems  = 16 // of larger items, and of numbers
)

// sizes returns the sizes of blocks such that count of them fit in the pool.
func (p *Pool) sizes(count int) Sizes {
	if p.Single {
		return Sizes{1, 1}
	}
	s := Sizes{1, mostItems}
	if p.Chunk > 0 {
		s.Least = int(max(1, (leastBytes+p.Item-1)/p.Item))
		room := p.Chunk
		if p.Order == InOrder {
			room /= 4 // a chunk holds several
		}
		s.Most = max(s.Least, min(max(mostItems, int(mostBytes/p.Item)), int(room/p.Item)))
	}
	for s.Most > 2*s.Least && !p.fits(count, s) {
		s.Most /= 2
	}
	return s
}

// fits reports whether that many blocks can be live in the pool with room to spare, because a pool cannot use all of its memory.
func (p *Pool) fits(count int, s Sizes) bool {
	if count == 1 {
		return true
	}
	spare := 4.0
	if p.Single {
		spare = 2
	}
	block := max(s.mean()*float64(p.Item), float64(p.Granule))
	return p.Limit == NoLimit || spare*float64(count)*block <= float64(p.Limit)
}
