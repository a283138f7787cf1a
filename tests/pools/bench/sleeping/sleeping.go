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
			{"pool, backing staged", staged},
			{"pool, backing primed", primed},
			{"pool, contents discarded", discarded},
			{"pool of 32 MiB pages, contents discarded", wide},
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
	opening := time.Now()
	x, err := make(o)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "turn %d:          %-41s made in %8.1f ms\n", turn, name, 1e3*time.Since(opening).Seconds())
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
		fmt.Fprintf(w, "turn %d, sleep %d: %-41s asleep in %8.1f ms, %5.1f GB/s; awake in %8.1f ms, %5.1f GB/s\n", turn, nth, name,
			1e3*asleep.Seconds(), rate(o.Bytes, asleep), 1e3*awake.Seconds(), rate(o.Bytes, awake))
	}
	return x.close()
}

func rate(bytes int64, took time.Duration) float64 { return float64(bytes) / 1e9 / took.Seconds() }

// sleepers is what the pools have in common.
type sleepers[S any] interface {
	Alloc(int) (S, error)
	Sleep(context.Context, ...poolrt.SleepOption) error
	Wake(context.Context) error
	CloseForce() error
}

// pool is a pool with live blocks.
type pool[S any] struct {
	sleepers[S]
	options []poolrt.SleepOption
}

func newPool[S any](o Options, p sleepers[S], options ...poolrt.SleepOption) (way, error) {
	for left := o.Bytes; left > 0; left -= o.Block {
		if _, err := p.Alloc(int(min(o.Block, left))); err != nil {
			return nil, err
		}
	}
	return &pool[S]{p, options}, nil
}

func kept(o Options) (way, error)   { return newPool(o, new(devices.SleeperPool)) }
func staged(o Options) (way, error) { return newPool(o, new(devices.StagerPool)) }
func wide(o Options) (way, error)   { return newPool(o, new(devices.WidePool)) }
func discarded(o Options) (way, error) {
	return newPool(o, new(devices.SleeperPool), poolrt.Contents(poolrt.Discard))
}

func primed(o Options) (way, error) {
	p, err := devices.NewPrimedPool(poolrt.WithLimit(o.Bytes + 8<<20))
	if err != nil {
		return nil, err
	}
	return newPool(o, p)
}

func (p *pool[S]) sleep() error { return p.Sleep(context.Background(), p.options...) }
func (p *pool[S]) wake() error  { return p.Wake(context.Background()) }
func (p *pool[S]) close() error { return p.CloseForce() }
