package corpus

import (
	"context"
	"errors"
	"log"
	"time"

	"example.com/vet/pools"
)

// Blocks that go through channels, and selects.

func selectSendsOrFrees(ctx context.Context, out chan<- *pools.Vertex, x float32) error {
	v, err := newVertex(x)
	if err != nil {
		return err
	}
	select {
	case out <- v:
		return nil
	case <-ctx.Done():
		return errors.Join(ctx.Err(), pools.FreeVertex(v))
	}
}

func selectLeaksWhenDone(ctx context.Context, out chan<- []byte, text string) error {
	b, err := pools.AllocText(len(text))
	if err != nil {
		return err
	}
	copy(b, text)
	select {
	case out <- b:
		return nil
	case <-time.After(time.Second):
		return errors.Join(context.DeadlineExceeded, pools.FreeText(b))
	case <-ctx.Done():
		return ctx.Err() // WRONG leak: nobody took the block
	}
}

func receiverFreesEach(in <-chan *pools.Vertex) (total float32, err error) {
	for v := range in {
		if v == nil {
			break
		}
		total += length(v)
		err = errors.Join(err, pools.FreeVertex(v))
	}
	return total, err
}

func receiverReadsAfterFree(in <-chan []byte) (lines int) {
	for b := range in {
		if err := pools.FreeText(b); err != nil {
			log.Print(err)
			continue
		}
		for _, c := range b { // WRONG use: the block is free
			if c == '\n' {
				lines++
			}
		}
	}
	return lines
}

func selectDefaultFrees(queue chan<- *pools.Vertex, x float32) (sent bool, err error) {
	v, err := pools.AllocCorner()
	if err != nil {
		return false, err
	}
	*v = pools.Vertex{X: x}
	select {
	case queue <- v:
		sent = true
	default:
		err = pools.FreeCorner(v)
	}
	return sent, err
}

func selectDefaultForgets(queue chan<- *pools.Vertex, list []float32) (dropped int, err error) {
	for _, x := range list {
		v, err := pools.AllocCorner()
		if err != nil {
			return dropped, err
		}
		*v = pools.Vertex{X: x}
		select {
		case queue <- v:
		default:
			dropped++ // WRONG leak: the block was not sent
		}
	}
	return dropped, nil
}

func selectTimesOutAndStillOwns(events <-chan float32, limit time.Duration) (float32, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return 0, err
	}
	*v = pools.Vertex{}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for waiting := true; waiting; {
		select {
		case x, ok := <-events:
			if ok {
				move(v, x)
			}
			waiting = ok
		case <-timer.C:
			waiting = false
		}
	}
	total := length(v)
	return total, pools.FreeVertex(v)
}

func selectFreesAndLoopFreesAgain(events <-chan float32, stop <-chan struct{}) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	running := true
	for running {
		select {
		case x := <-events:
			move(v, x)
		case <-stop:
			if err := pools.FreeVertex(v); err != nil {
				return err
			}
			running = false
		}
	}
	return pools.FreeVertex(v) // WRONG double: the loop ends by the free in the select
}

type selectReply struct {
	block []byte
	err   error
}

func replyCarriesBlock(requests <-chan int, replies chan<- selectReply) {
	for n := range requests {
		b, err := pools.AllocLine(n)
		if err != nil {
			replies <- selectReply{err: err}
			continue
		}
		clear(b)
		replies <- selectReply{block: b}
	}
}

func senderSendsFreedBlock(out chan<- *pools.Vertex, list []float32) error {
	for _, x := range list {
		v, err := newVertex(x)
		if err != nil {
			return err
		}
		if err := check(v); err != nil {
			log.Print(err)
			discard(v)
		}
		out <- v // WRONG use: a bad vertex is free already
	}
	close(out)
	return nil
}
