package corpus

import (
	"context"
	"errors"
	"io"
	"log"
	"sync"

	"example.com/vet/pools"
)

// Worker pools and goroutines that share blocks.

func workerFreesEachJob(jobs <-chan *job, results chan<- int) {
	for j := range jobs {
		n := 0
		for _, c := range j.input {
			if c == '\n' {
				n++
			}
		}
		j.finish()
		results <- n
	}
}

func workerGivesUpWithBuffer(jobs <-chan string, w io.Writer) error {
	for text := range jobs {
		b, err := pools.AllocLine(len(text) + 1)
		if err != nil {
			return err
		}
		n := copy(b, text)
		b[n] = '\n'
		if _, err := w.Write(b); err != nil {
			return err // WRONG leak: the worker ends without a free of its line
		}
		if err := pools.FreeLine(b); err != nil {
			return err
		}
	}
	return nil
}

func dispatcherHandsJobsOver(ctx context.Context, texts []string, jobs chan<- *job) error {
	defer close(jobs)
	for i, text := range texts {
		b, err := pools.AllocText(len(text))
		if err != nil {
			return err
		}
		copy(b, text)
		j := &job{id: i, input: b}
		select {
		case jobs <- j:
		case <-ctx.Done():
			j.finish()
			return ctx.Err()
		}
	}
	return nil
}

func dispatcherReadsAfterDiscard(list []float32, accept func(float32) bool) (rejected float32, err error) {
	for _, x := range list {
		v, err := newVertex(x)
		if err != nil {
			return rejected, err
		}
		ok := accept(length(v))
		discard(v)
		if !ok {
			rejected += v.X // WRONG use: discard has freed the block
		}
	}
	return rejected, nil
}

func goroutineOwnsItsBlock(list []float32, results chan<- float32) error {
	for _, x := range list {
		v, err := newVertex(x)
		if err != nil {
			return err
		}
		go func(v *pools.Vertex) {
			defer discard(v)
			move(v, 1)
			results <- length(v)
		}(v)
	}
	return nil
}

func goroutineAndStarterBothFree(x float32, results chan<- float32) error {
	v, err := newVertex(x)
	if err != nil {
		return err
	}
	go func() {
		results <- length(v)
		discard(v)
	}()
	if err := check(v); err != nil {
		log.Print(err)
	}
	return pools.FreeVertex(v) // WRONG double: the goroutine frees the block as well
}

func waitGroupThenFree(list []float32) (total float32, err error) {
	b, err := pools.AllocStage(len(list))
	if err != nil {
		return 0, err
	}
	var wait sync.WaitGroup
	for i, x := range list {
		wait.Add(1)
		go func() {
			defer wait.Done()
			b[i] = x * x
		}()
	}
	wait.Wait()
	total = sum(b)
	return total, pools.FreeStage(b)
}

func freeBeforeWaitGroup(list []float32) error {
	b, err := pools.AllocStage(len(list))
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	for i, x := range list {
		wait.Go(func() { b[i] = x * x })
	}
	err = pools.FreeStage(b) // WRONG use: the goroutines write to the block until Wait returns
	wait.Wait()
	return err
}

func workerFillsBuffersInTurn(r io.Reader, full chan<- []byte, empty <-chan []byte) error {
	defer close(full)
	for b := range empty {
		n, err := io.ReadFull(r, b)
		if n == 0 || err != nil {
			return errors.Join(err, pools.FreeRound(b))
		}
		full <- b
	}
	return nil
}

func workerFreesBufferEachRound(jobs <-chan string, w io.Writer) error {
	b, err := pools.AllocText(256)
	if err != nil {
		return err
	}
	for text := range jobs {
		n := copy(b, text)
		_, err := w.Write(b[:n])
		if err := errors.Join(err, pools.FreeText(b)); err != nil { // WRONG double: the buffer was taken once and is freed each round
			return err
		}
	}
	return nil
}
