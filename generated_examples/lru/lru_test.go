package lru

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	c := NewCache()
	picture := make([]byte, 1<<20)
	for i := range 100 { // 100 MiB into a cache of 16
		if err := c.Set(fmt.Sprint("picture ", i), picture); err != nil {
			fmt.Println(err)
			return
		}
	}
	_, first := c.Get("picture 0", nil)
	_, last := c.Get("picture 99", nil)
	kept, err := c.SetIfRoom("thumbnail", picture[:1000])
	s := c.pool.Stats()
	fmt.Println(first, last, kept, err)
	fmt.Println(s.Live, s.Limit, s.Failures)
	fmt.Println(c.Close())
	// Output:
	// false true false <nil>
	// 16 16777216 84
	// <nil>
}

// Values come back as they were set, and those that were used stay.
func TestLeastRecentlyUsed(t *testing.T) {
	c := NewCache()
	value := func(i int) []byte { return []byte(fmt.Sprintf("%0*d", 1000+i%5000, i)) }
	many := 20_000
	if poolrt.Debug { // each failure lists the live blocks
		many = 1000
	}
	for i := range many {
		if err := c.Set(fmt.Sprint(i), value(i)); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.Get("0", nil); !ok || string(got) != string(value(0)) {
			t.Fatalf("after %d values, one that is used all the time is gone", i)
		}
	}
	kept := 0
	for i := range many {
		got, ok := c.Get(fmt.Sprint(i), nil)
		if ok && string(got) != string(value(i)) {
			t.Errorf("value %d has changed", i)
		}
		if ok {
			kept++
		}
		if !ok && i > many-1000 {
			t.Errorf("value %d is gone", i)
		}
	}
	if s := c.pool.Stats(); s.Live != int64(kept) || s.Reserved != s.Limit && !poolrt.Debug {
		t.Errorf("%d kept: %v", kept, s)
	}
	if err := c.Set("huge", make([]byte, 32<<20)); !errors.Is(err, poolrt.ErrTooLarge) {
		t.Errorf("a value larger than the cache: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// Several goroutines use a full cache while another one reads the statistics, which are exact in the end.
func TestStatisticsAtTheLimit(t *testing.T) {
	c := NewCache()
	var done atomic.Bool
	var poll, work sync.WaitGroup
	poll.Go(func() {
		for !done.Load() {
			poolrt.Pools()
		}
	})
	sets := 10_000
	if poolrt.Debug {
		sets = 200
	}
	for g := range 4 {
		work.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			buffer := make([]byte, 8192)
			for range sets {
				key, value := fmt.Sprint(r.IntN(sets)), buffer[:1+r.IntN(len(buffer))]
				if r.IntN(4) > 0 {
					if err := c.Set(key, value); err != nil {
						t.Error(err)
						return
					}
				} else if _, err := c.SetIfRoom(key, value); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
	done.Store(true)
	poll.Wait()
	sum := int64(0)
	for e := c.used.Front(); e != nil; e = e.Next() {
		sum += int64(len(e.Value.(*entry).value))
	}
	if s := c.pool.Stats(); s.Live != int64(c.used.Len()) || s.LiveBytes != sum || s.Allocs-s.Frees != s.Live || s.Failures == 0 && !poolrt.Debug {
		t.Errorf("%v, want %d live in %d bytes", s, c.used.Len(), sum)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
