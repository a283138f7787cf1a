package harness

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// Options say how long to measure.
type Options struct {
	Turns int           // how often each way is measured, in turn
	Span  time.Duration // how long a turn takes
}

// Row is a figure: the cost of an operation in ns. With several threads it is the time divided by the operations of all threads.
type Row struct {
	Case
	Who  string  `json:"who"`     // the pool, or a peer
	NS   float64 `json:"ns"`      // median of the turns
	Low  float64 `json:"low_ns"`  // a quarter of the turns was faster
	High float64 `json:"high_ns"` // a quarter of the turns was slower
}

// PoolWho is the Who of the rows of the pool itself.
const PoolWho = "pool"

// subject is the pool or a peer in a case.
type subject struct {
	name  string
	turn  func(span time.Duration) (ns float64, err error) // the time of one operation
	end   func() error
	times []float64
}

// measure measures one case: the pool first, then its peers, turn by turn. It notes the figures that are missing.
func measure(p *Pool, peers []Peer, w Work, o Options) (rows []Row, notes []string) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(w.Threads))
	failed := func(name string, err error) bool {
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: %s: %v", w.Case, name, err))
		}
		return err != nil
	}
	var subjects []*subject
	add := func(name string, s *subject, err error) {
		if !failed(name, err) {
			s.name = name
			subjects = append(subjects, s)
		}
	}
	s, err := p.subject(w)
	add(PoolWho, s, err)
	for _, peer := range peers {
		s, err := peer.subject(w)
		add(peer.Name, s, err)
	}
	for turn := range o.Turns + 1 { // the first is for growing
		subjects = slices.DeleteFunc(subjects, func(s *subject) bool {
			runtime.GC() // a garbage collection that one subject began must not run while another is measured
			ns, err := s.turn(o.Span)
			if failed(s.name, err) {
				failed(s.name, s.end())
				return true
			}
			if turn > 0 {
				s.times = append(s.times, ns)
			}
			return false
		})
	}
	for _, s := range subjects {
		failed(s.name, s.end())
		slices.Sort(s.times)
		n := len(s.times)
		rows = append(rows, Row{w.Case, s.name, s.times[n/2], s.times[n/4], s.times[n-1-n/4]})
	}
	return rows, notes
}

// subject makes the subject of a case that measures the pool itself, on a fresh pool.
func (p *Pool) subject(w Work) (*subject, error) {
	if w.Name == growthCase {
		return &subject{turn: again(p.first), end: nothing}, nil
	}
	pool, err := p.New()
	if err != nil {
		return nil, err
	}
	work := pool.Work
	if w.OnStream {
		work = pool.WorkOn
	}
	var workers []Worker
	for _, l := range w.Loads() {
		one, err := work(l)
		if err != nil {
			return nil, errors.Join(err, pool.Close())
		}
		workers = append(workers, one)
	}
	return &subject{turn: together(workers), end: pool.Close}, nil
}

// first measures how long the first block of a new pool takes.
func (p *Pool) first() (time.Duration, error) {
	start := time.Now()
	pool, err := p.New()
	if err != nil {
		return 0, err
	}
	err = pool.First()
	took := time.Since(start)
	return took, errors.Join(err, pool.Close())
}

// mostHeld is the number of bytes that a peer may hold.
const mostHeld = 1 << 30

// subject makes the subject of a case that measures the peer.
func (p *Peer) subject(w Work) (*subject, error) {
	switch {
	case w.bytes(p.Granule) > mostHeld:
		return nil, errors.New("left out, as it would hold more than 1 GiB")
	case p.start != nil:
		return p.start(w)
	case w.Name == growthCase:
		return &subject{turn: again(func() (time.Duration, error) { return p.Once(w.Chunk) }), end: nothing}, nil
	}
	workers, end, err := p.Open(w.Loads())
	return &subject{turn: together(workers), end: end}, err
}

func nothing() error { return nil }
