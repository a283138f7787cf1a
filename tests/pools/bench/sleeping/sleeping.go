// Package sleeping measures how long pools take to give their device memory back and to get it again, beside the procedure of vLLM's sleep mode
// (csrc/cumem_allocator.cpp and vllm/device_allocator/cumem.py): for each allocation a page-locked buffer, a copy that waits, and an unmapping of its own.
package sleeping

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/bench/devices"
)

// Options say what to measure.
type Options struct {
	Bytes int64 // that sleep
	Block int64 // size of one allocation
	Turns int
	Only  *regexp.Regexp // ways to measure, by name
}

// way is one way to give memory back and get it again.
type way interface {
	sleep() error
	wake() error
	close() error
}

// Run measures all ways in turns, one beside the other on the same card, and prints each turn: the first of a way obtains what later ones keep.
func Run(w io.Writer, o Options) error {
	if err := cuda.Probe(); err != nil {
		return err
	}
	for turn := range o.Turns {
		for _, c := range []struct {
			name string
			make func(Options) (way, error)
		}{
			{"pool, contents and backing kept", kept},
			{"pool, contents discarded", discarded},
			{"vLLM's procedure", newPlain},
			{"vLLM's procedure, contents discarded", newBare},
		} {
			if !o.Only.MatchString(c.name) {
				continue
			}
			if err := measure(w, turn, c.name, o, c.make); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	return nil
}

// measure times three sleeps of one way.
func measure(w io.Writer, turn int, name string, o Options, make func(Options) (way, error)) error {
	x, err := make(o)
	if err != nil {
		return err
	}
	for nth := range 3 {
		begin := time.Now()
		if err := x.sleep(); err != nil {
			return err
		}
		slept := time.Now()
		if err := x.wake(); err != nil {
			return err
		}
		asleep, awake := slept.Sub(begin), time.Since(slept)
		fmt.Fprintf(w, "turn %d, sleep %d: %-38s asleep in %8.1f ms, %5.1f GB/s; awake in %8.1f ms, %5.1f GB/s\n", turn, nth, name,
			1e3*asleep.Seconds(), rate(o.Bytes, asleep), 1e3*awake.Seconds(), rate(o.Bytes, awake))
	}
	return x.close()
}

func rate(bytes int64, took time.Duration) float64 { return float64(bytes) / 1e9 / took.Seconds() }

// pool is a pool with live blocks.
type pool struct {
	*devices.SleeperPool
	options []poolrt.SleepOption
}

func newPool(o Options, options ...poolrt.SleepOption) (way, error) {
	p := &pool{new(devices.SleeperPool), options}
	for left := o.Bytes; left > 0; left -= o.Block {
		if _, err := p.Alloc(int(min(o.Block, left))); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func kept(o Options) (way, error)      { return newPool(o) }
func discarded(o Options) (way, error) { return newPool(o, poolrt.Contents(poolrt.Discard)) }

func (p *pool) sleep() error { return p.Sleep(context.Background(), p.options...) }
func (p *pool) wake() error  { return p.Wake(context.Background()) }
func (p *pool) close() error { return p.CloseForce() }
