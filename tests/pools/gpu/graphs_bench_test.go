//go:build !cudasim

package gpu

import (
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/gpu/pools"
)

// BenchmarkCapture captures 1,000 kernels on two streams, in turns with one block for all, and with a block for each ten of them: in memory that the pool has to
// obtain; in memory that it has, as it was primed; and in the memory of the graph before, which never runs at the same time. The figures are those of inTurns, in ns
// of a capture.
func BenchmarkCapture(b *testing.B) {
	for from, name := range []string{obtained: "obtained", primed: "primed", again: "again"} {
		b.Run(name, func(b *testing.B) {
			l := newLab(b, 0)
			one, many := newCapturing(l, false, origin(from)), newCapturing(l, true, origin(from))
			inTurns(b, one.turn, many.turn)
			one.end()
			many.end()
		})
	}
}

// origin is where the memory of a graph comes from.
type origin int

const (
	obtained origin = iota // the driver
	primed                 // the pool
	again                  // the graph before
)

// capturing captures the same work again and again.
type capturing struct {
	*lab
	pool    *pools.GraphPool
	streams []cuda.Stream
	fork    cuda.Event
	each    bool // a block for each ten kernels
	memory  origin
	before  []cuda.Graph
}

func newCapturing(l *lab, each bool, memory origin) *capturing {
	c := &capturing{lab: l, pool: new(pools.GraphPool), streams: l.streams(2), each: each, memory: memory}
	var err error
	c.fork, err = l.device.NewEvent()
	l.ok("event", err)
	return c
}

// capture captures so many kernels.
func (c *capturing) capture(kernels int) cuda.Graph {
	c.ok("begin", c.streams[0].BeginCaptureWith([]poolrt.Capturer{c.pool}, c.before...))
	c.ok("record", c.fork.Record(c.streams[0]))
	c.ok("wait", c.streams[1].Wait(c.fork))
	first, err := c.pool.AllocOn(1<<20, c.streams[0])
	c.ok("alloc", err)
	for i := 0; i < kernels && err == nil; i += 10 {
		err = c.ten(first, i)
	}
	c.ok("work", err)
	c.ok("record", c.fork.Record(c.streams[1]))
	c.ok("wait", c.streams[0].Wait(c.fork))
	c.ok("free", c.pool.FreeOn(first, c.streams[0]))
	g, err := c.streams[0].EndCapture()
	c.ok("end", err)
	return g
}

// ten captures ten kernels, in a block of their own or in the one for all.
func (c *capturing) ten(block pools.GraphSpan, i int) (err error) {
	s := c.streams[i/10%2]
	if c.each {
		if block, err = c.pool.AllocOn(1<<20+i%7<<12, s); err != nil {
			return err
		}
	}
	for range 10 {
		if err = c.fill.Launch(c.shape(64, s), block.Addr(), uint64(64), uint32(1), c.clocks); err != nil {
			return err
		}
	}
	if c.each {
		err = c.pool.FreeOn(block, s)
	}
	return err
}

// turn returns how long a capture takes, in ns.
func (c *capturing) turn() float64 {
	if c.memory == primed {
		c.ok("prime", c.pool.Prime(8<<20))
	}
	start := time.Now()
	g := c.capture(1000)
	took := time.Since(start)
	c.end()
	if c.before = []cuda.Graph{g}; c.memory != again {
		c.end()
	}
	c.pool.Poll()
	return float64(took.Nanoseconds())
}

// end closes the graph before.
func (c *capturing) end() {
	for _, g := range c.before {
		c.ok("close", g.Close())
	}
	c.before = nil
}

// BenchmarkGraphLaunch launches a graph of 100 kernels and waits for it, in turns without memory of its own for each ten of them, and with. The figures are those of
// inTurns, in ns of a launch.
func BenchmarkGraphLaunch(b *testing.B) {
	l := newLab(b, 0)
	turn := func(each bool) func() float64 {
		c := newCapturing(l, each, obtained)
		g := c.capture(100)
		l.Cleanup(func() { l.ok("close", g.Close()) })
		s := c.streams[0]
		return func() float64 {
			const launches = 50
			start := time.Now()
			for range launches {
				l.ok("launch", g.Launch(s))
				l.ok("wait", s.Synchronize())
			}
			return float64(time.Since(start).Nanoseconds()) / launches
		}
	}
	inTurns(b, turn(false), turn(true))
}
