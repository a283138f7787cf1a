package corpus

import (
	"errors"
	"log"
	"sync"
	"time"

	"example.com/vet/pools"
)

// Pools of concurrency none, which one goroutine at a time may call.

func goroutinesOfLoopSharePool(parts [][]float32) {
	var wait sync.WaitGroup
	for _, part := range parts {
		wait.Add(1)
		go func() {
			defer wait.Done()
			v, err := pools.AllocLocal() // WRONG confined: all goroutines of the loop use one pool
			if err != nil {
				log.Print(err)
				return
			}
			move(v, sum(part))
			if err := pools.FreeLocal(v); err != nil {
				log.Print(err)
			}
		}()
	}
	wait.Wait()
}

func goroutinesOfLoopHaveOwnPools(parts [][]float32) error {
	errs := make([]error, len(parts))
	var wait sync.WaitGroup
	for i, part := range parts {
		wait.Go(func() {
			var own pools.LocalPool
			v, err := own.Alloc()
			if err != nil {
				errs[i] = err
				return
			}
			move(v, sum(part))
			errs[i] = errors.Join(check(v), own.Free(v), own.Close())
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

func starterUsesPoolMeanwhile(list []float32) error {
	done := make(chan error, 1)
	go func() {
		v, err := pools.AllocLocal()
		if err == nil {
			move(v, sum(list))
			err = pools.FreeLocal(v)
		}
		done <- err
	}()
	v, err := pools.AllocLocal() // WRONG confined: the goroutine may be in the pool
	if err != nil {
		return errors.Join(err, <-done)
	}
	v.X = 1
	return errors.Join(pools.FreeLocal(v), <-done)
}

func starterWaitsBeforeItUsesPool(list []float32) error {
	done := make(chan error)
	go func() {
		v, err := pools.AllocLocal()
		if err == nil {
			move(v, sum(list))
			err = pools.FreeLocal(v)
		}
		done <- err
	}()
	if err := <-done; err != nil {
		return err
	}
	v, err := pools.AllocLocal()
	if err != nil {
		return err
	}
	*v = pools.Vertex{}
	return pools.FreeLocal(v)
}

func poolIsHandedOverByChannel(frames <-chan []byte) error {
	p, err := pools.NewScratchPool()
	if err != nil {
		return err
	}
	idle := make(chan *pools.ScratchPool, 1)
	idle <- p
	for frame := range frames {
		q := <-idle
		go func() {
			defer func() { idle <- q }()
			b, err := q.Alloc(len(frame))
			if err != nil {
				log.Print(err)
				return
			}
			copy(b, frame)
			log.Printf("%x", b)
			if err := q.Reset(); err != nil {
				log.Print(err)
			}
		}()
	}
	return (<-idle).Close()
}

func tickerTrimsPoolOfLoop(p *pools.LocalPool, list []float32, stop <-chan struct{}) error {
	ticker := time.NewTicker(time.Second)
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if _, err := p.Trim(0); err != nil { // WRONG confined: the loop below uses the pool meanwhile
					log.Print(err)
				}
			case <-stop:
				return
			}
		}
	}()
	for _, x := range list {
		v, err := p.Alloc()
		if err != nil {
			return err
		}
		move(v, x)
		if err := p.Free(v); err != nil {
			return err
		}
	}
	return nil
}

func mutexGuardsPool(mu *sync.Mutex, p *pools.LocalPool, parts [][]float32) float32 {
	var total float32
	var wait sync.WaitGroup
	for _, part := range parts {
		wait.Add(1)
		go func() {
			defer wait.Done()
			mu.Lock()
			defer mu.Unlock()
			v, err := p.Alloc()
			if err != nil {
				return
			}
			*v = pools.Vertex{X: sum(part)}
			total += length(v)
			if err := p.Free(v); err != nil {
				log.Print(err)
			}
		}()
	}
	wait.Wait()
	return total
}

type confinedWalker struct {
	scratch pools.ScratchPool
	visit   func([]byte) error
}

func (w *confinedWalker) walkInParallel(sizes []int) error {
	errs := make([]error, len(sizes))
	var wait sync.WaitGroup
	for i, n := range sizes {
		wait.Go(func() {
			b, err := w.scratch.Alloc(n) // WRONG confined: the goroutines share the pool of the walker
			if err != nil {
				errs[i] = err
				return
			}
			errs[i] = w.visit(b)
		})
	}
	wait.Wait()
	return errors.Join(append(errs, w.scratch.Reset())...)
}

func ownerServesRequests(requests <-chan chan<- float32) {
	for reply := range requests {
		v, err := pools.AllocLocal()
		if err != nil {
			close(reply)
			continue
		}
		*v = pools.Vertex{X: 1, Y: 2, Z: 3}
		result := length(v)
		if err := pools.FreeLocal(v); err != nil {
			log.Print(err)
		}
		go func() { reply <- result }()
	}
}

func poolIsUsedByTwoStages(in <-chan float32, out chan<- float32) {
	blocks := make(chan *pools.Vertex)
	p := pools.DefaultLocalPool()
	go func() {
		defer close(blocks)
		for x := range in {
			v, err := p.Alloc()
			if err != nil {
				return
			}
			v.X = x
			blocks <- v
		}
	}()
	go func() {
		defer close(out)
		for v := range blocks {
			out <- length(v)
			_ = p.Free(v) // WRONG confined: the first stage allocates from the pool meanwhile
		}
	}()
}
