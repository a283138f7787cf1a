package confined

import (
	"sync"
	"time"

	"example.com/vet/pools"
)

type stage struct{ pool *pools.LocalPool }

func (s *stage) parallel() {
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			_ = s.pool.Poll() // want `PG113`
		})
	}
	wait.Wait()
}

func counted(p *pools.LocalPool) {
	var wait sync.WaitGroup
	for range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			_ = p.Poll() // want `PG113`
		}()
	}
	wait.Wait()
}

func ticks(p *pools.LocalPool, stop <-chan bool) {
	ticker := time.NewTicker(time.Second)
	go func() {
		for {
			select {
			case <-ticker.C:
				_ = p.Poll() // want `PG113`
			case <-stop:
				return
			}
		}
	}()
	_ = p.Poll()
}

// From here on, all is well.

func poolOfEach(stages []*stage) {
	var s *stage
	for i := range stages {
		s = stages[i]
		go func() { _ = s.pool.Poll() }()
	}
}

func ticksWhenTold(p *pools.LocalPool, stop <-chan bool) {
	ticker := time.NewTicker(time.Second)
	idle := false
	go func() {
		for {
			select {
			case <-ticker.C:
				if idle {
					_ = p.Poll()
				}
			case idle = <-stop:
			}
		}
	}()
	_ = p.Poll()
}
