// Package confined shares pools that are for one goroutine.
package confined

import (
	"sync"

	"example.com/vet/pools"
)

func both(p *pools.LocalPool) {
	go func() {
		_ = p.Poll() // want `PG113: pool (Local|Scratch) is for one goroutine at a time, and used in one of several`
	}()
	_ = p.Poll()
}

func packages() {
	go pools.AllocScratch(10) // want `PG113`
	_, _ = pools.AllocScratch(10)
}

func many(p *pools.ScratchPool) {
	for range 3 {
		go func() {
			_, _ = p.Alloc(10) // want `PG113`
		}()
	}
}

// From here on, all is well.

func handed(p *pools.LocalPool) {
	go func() { _ = p.Poll() }()
}

func waited(p *pools.LocalPool) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_ = p.Poll()
	}()
	wg.Wait()
	_ = p.Poll()
}

func locked(p *pools.LocalPool, mu *sync.Mutex) {
	for range 3 {
		go func() {
			mu.Lock()
			defer mu.Unlock()
			_ = p.Poll()
		}()
	}
}

func own() {
	for range 3 {
		p, err := pools.NewLocalPool()
		if err != nil {
			return
		}
		go func() { _ = p.Poll() }()
	}
}

func safe(p *pools.VertexPool) {
	go func() { _ = p.Poll() }()
	_ = p.Poll()
}

func oneByOne(p *pools.LocalPool, done chan bool) {
	for range 3 {
		go func() {
			_ = p.Poll()
			done <- true
		}()
		<-done
	}
}
