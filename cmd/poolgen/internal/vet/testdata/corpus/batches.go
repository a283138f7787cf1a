package corpus

import (
	"errors"
	"fmt"

	"example.com/vet/pools"
)

// Batches: many blocks in a call.

func batchFreedByDefer(list []float32) (total float32, err error) {
	batch := make([]*pools.Vertex, len(list))
	if _, err := pools.AllocVertexBatch(batch); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, pools.FreeVertexBatch(batch)) }()
	for i, v := range batch {
		v.X = list[i]
		total += length(v)
	}
	return total, nil
}

func batchNeverFreed(list []float32) (float32, error) {
	var batch [16]*pools.Vertex
	n, err := pools.AllocVertexBatch(batch[:min(len(list), 16)])
	if err != nil {
		return 0, err
	}
	var total float32
	for i, v := range batch[:n] {
		*v = pools.Vertex{X: list[i]}
		total += length(v)
	}
	return total / float32(n), nil // WRONG leak: the blocks of the batch are not freed
}

func batchReturnedToCaller(n int) ([]*pools.Vertex, error) {
	batch := make([]*pools.Vertex, n)
	if _, err := pools.AllocCornerBatch(batch); err != nil {
		return nil, fmt.Errorf("%d corners: %w", n, err)
	}
	for i, v := range batch {
		*v = pools.Vertex{X: float32(i)}
	}
	return batch, nil
}

func batchBlockFreedAfterBatch(n int) error {
	batch := make([]*pools.Vertex, n)
	if _, err := pools.AllocVertexBatch(batch); err != nil {
		return err
	}
	first := batch[0]
	for _, v := range batch[1:] {
		move(v, first.X)
	}
	if err := pools.FreeVertexBatch(batch); err != nil {
		return err
	}
	return pools.FreeVertex(first) // WRONG double: the block is one of the batch
}

func batchFreedOneByOne(n int) (err error) {
	batch := make([]*pools.Vertex, n)
	if _, err := pools.AllocVertexBatch(batch); err != nil {
		return err
	}
	for i, v := range batch {
		v.X = float32(i)
		err = errors.Join(err, check(v), pools.FreeVertex(v))
		batch[i] = nil
	}
	return err
}

func batchLostWhenOneIsBad(list []float32) (float32, error) {
	batch := make([]*pools.Vertex, len(list))
	if _, err := pools.AllocVertexBatch(batch); err != nil {
		return 0, err
	}
	var total float32
	for i, v := range batch {
		v.X = list[i]
		if err := check(v); err != nil {
			return 0, fmt.Errorf("number %d: %w", i, err) // WRONG leak: the batch is not freed
		}
		total += v.X
	}
	return total, pools.FreeVertexBatch(batch)
}

type batchHalf struct{ blocks []*pools.Vertex }

func batchSplitBetweenOwners(n int) (*batchHalf, error) {
	batch := make([]*pools.Vertex, 2*n)
	if _, err := pools.AllocVertexBatch(batch); err != nil {
		return nil, err
	}
	kept, spare := batch[:n], batch[n:]
	for i, v := range kept {
		*v = pools.Vertex{X: float32(i)}
	}
	if err := pools.FreeVertexBatch(spare); err != nil {
		return nil, errors.Join(err, pools.FreeVertexBatch(kept))
	}
	return &batchHalf{blocks: kept}, nil
}

func batchReadAfterFree(list []float32) (float32, error) {
	batch := make([]*pools.Vertex, len(list))
	if _, err := pools.AllocVertexBatch(batch); err != nil {
		return 0, err
	}
	for i, v := range batch {
		v.X = list[i]
	}
	if err := pools.FreeVertexBatch(batch); err != nil {
		return 0, err
	}
	var total float32
	for _, v := range batch {
		total += v.X // WRONG use: all blocks of the batch are free
	}
	return total, nil
}

func batchKeepsSurvivors(batch []*pools.Vertex, limit float32) ([]*pools.Vertex, error) {
	var dead []*pools.Vertex
	alive := batch[:0]
	for _, v := range batch {
		if length(v) > limit {
			dead = append(dead, v)
			continue
		}
		alive = append(alive, v)
	}
	clear(batch[len(alive):])
	return alive, pools.FreeVertexBatch(dead)
}

func batchFreedInOtherPool(n int) error {
	batch := make([]*pools.Vertex, n)
	if _, err := pools.AllocCornerBatch(batch); err != nil {
		return err
	}
	for i, v := range batch {
		*v = pools.Vertex{Z: float32(i)}
	}
	if err := check(batch[0]); err != nil {
		return errors.Join(err, pools.FreeCornerBatch(batch))
	}
	return pools.FreeVertexBatch(batch) // WRONG pool: the blocks are of Corner
}
