package corpus

import (
	"context"
	"errors"
	"time"

	"example.com/vet/pools"
)

// TryAlloc, whose flag says whether there is a block, and AllocContext.

func tryFreesUnderSameFlag(x float32) (float32, error) {
	v, ok := pools.TryAllocVertex()
	if ok {
		*v = pools.Vertex{X: x}
		move(v, 1)
	}
	total := x * 2
	if ok {
		total += length(v)
		if err := pools.FreeVertex(v); err != nil {
			return 0, err
		}
	}
	return total, nil
}

func tryFreesUnderOtherCondition(x float32) (float32, error) {
	v, ok := pools.TryAllocVertex()
	if ok {
		*v = pools.Vertex{X: x}
		move(v, 1)
	}
	total := x * 2
	if ok && x > 0 {
		total += length(v)
		if err := pools.FreeVertex(v); err != nil {
			return 0, err
		}
	}
	return total, nil // WRONG leak: the block stays if x is not positive
}

func tryUsesAfterFreeUnderSameFlag(x float32) (total float32) {
	v, ok := pools.TryAllocVertex()
	if ok {
		v.X = x
		total = length(v)
		discard(v)
	}
	total *= 0.5
	if ok {
		total += v.Y // WRONG use: the first branch has freed the block
	}
	return total
}

func tryFallsBackToAlloc(x float32) (err error) {
	v, ok := pools.TryAllocVertex()
	if !ok {
		if _, err := pools.DefaultVertexPool().Trim(0); err != nil {
			return err
		}
		if v, err = pools.AllocVertex(); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, pools.FreeVertex(v)) }()
	v.X = x
	return check(v)
}

func tryGrowsAndForgetsTheFirst(data []byte) (int, error) {
	b, ok := pools.TryAllocText(64)
	if !ok || len(data) > 64 {
		var err error
		b, err = pools.AllocText(len(data)) // WRONG leak: the block of 64 bytes is lost if the data is longer
		if err != nil {
			return 0, err
		}
	}
	n := copy(b, data)
	return n, pools.FreeText(b)
}

func tryRepeatsUntilDeadline(deadline time.Time, x float32) error {
	for time.Now().Before(deadline) {
		v, ok := pools.TryAllocCorner()
		if !ok {
			time.Sleep(time.Millisecond)
			continue
		}
		v.X = x
		return errors.Join(check(v), pools.FreeCorner(v))
	}
	return context.DeadlineExceeded
}

func tryKeepsOnlyTheBest(rounds int) (*pools.Vertex, error) {
	var best *pools.Vertex
	for range rounds {
		v, ok := pools.TryAllocCorner()
		if !ok {
			break
		}
		if best == nil || length(v) < length(best) {
			best = v // WRONG leak: the best so far is not freed
			continue
		}
		if err := pools.FreeCorner(v); err != nil {
			return nil, err
		}
	}
	return best, nil
}

func contextAllocPassesBlockToCaller(ctx context.Context, text string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	b, err := pools.AllocTextContext(ctx, len(text))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, errEmpty
	case err != nil:
		return nil, err
	}
	copy(b, text)
	return b, nil
}

func contextAllocLeaksWhenCancelled(ctx context.Context, text string) error {
	b, err := pools.AllocTextContext(ctx, len(text))
	if err != nil {
		return err
	}
	for i := range text {
		if ctx.Err() != nil {
			return ctx.Err() // WRONG leak: the block is not freed when the context ends
		}
		b[i] = text[i] | 0x20
	}
	return pools.FreeText(b)
}

func contextAllocTriesFirst(ctx context.Context, x float32) (float32, error) {
	v, ok := pools.TryAllocVertex()
	var err error
	if !ok {
		v, err = pools.AllocVertexContext(ctx)
	}
	if err != nil {
		return 0, err
	}
	v.X = x
	total := length(v)
	if ok {
		total++
	}
	return total, pools.FreeVertex(v)
}
