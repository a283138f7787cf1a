package corpus

import (
	"errors"
	"log"
	"slices"

	"example.com/vet/pools"
)

// Blocks in maps and slices.

func mapEntryDeletedAndFreed(table map[string]*pools.Vertex, name string) (float32, error) {
	v, ok := table[name]
	if !ok {
		return 0, errEmpty
	}
	delete(table, name)
	total := length(v)
	return total, pools.FreeVertex(v)
}

func mapEntryReadAfterFree(table map[string]*pools.Vertex, name string) (float32, error) {
	v, ok := table[name]
	if !ok {
		return 0, errEmpty
	}
	if err := pools.FreeVertex(v); err != nil {
		return 0, err
	}
	delete(table, name)
	return length(v), nil // WRONG use: the entry was freed above
}

func sliceFreedAndCleared(list []*pools.Vertex) (err error) {
	for i, v := range list {
		if v == nil {
			continue
		}
		err = errors.Join(err, pools.FreeVertex(v))
		list[i] = nil
	}
	return err
}

func sliceElementReadAfterFree(list []*pools.Vertex, limit float32) (far int, err error) {
	for i := range list {
		v := list[i]
		if length(v) <= limit {
			continue
		}
		if err := pools.FreeVertex(v); err != nil {
			return far, err
		}
		log.Printf("vertex %d at %v was too far", i, list[i].X) // WRONG use: the element is the freed block
		list[i] = nil
		far++
	}
	return far, nil
}

func mapReplaceFreesOld(table map[int][]byte, id int, text string) error {
	b, err := pools.AllocText(len(text))
	if err != nil {
		return err
	}
	copy(b, text)
	old, ok := table[id]
	table[id] = b
	if ok {
		return pools.FreeText(old)
	}
	return nil
}

func mapDuplicateLeaksNew(table map[int][]byte, id int, text string) error {
	b, err := pools.AllocText(len(text))
	if err != nil {
		return err
	}
	copy(b, text)
	if _, ok := table[id]; ok {
		return errDuplicate // WRONG leak: the new block is in no table
	}
	table[id] = b
	return nil
}

func sliceRemovesBySwap(list []*pools.Vertex, i int) ([]*pools.Vertex, error) {
	if i < 0 || i >= len(list) {
		return list, errRange
	}
	last := len(list) - 1
	removed := list[i]
	list[i], list[last] = list[last], nil
	return list[:last], pools.FreeCorner(removed)
}

func mapFreedWhileCounted(table map[int][]byte) (empty int, err error) {
	for id, b := range table {
		if len(b) < 2 {
			continue
		}
		err = errors.Join(err, pools.FreeText(b))
		if b[0] == ' ' { // WRONG use: the block was freed on the line before
			empty++
		}
		delete(table, id)
	}
	return empty, err
}

func sliceSortedThenFreed(list []float32) (middle float32, err error) {
	var blocks []*pools.Vertex
	for _, x := range list {
		v, err := pools.AllocVertex()
		if err != nil {
			return 0, errors.Join(err, pools.FreeVertexBatch(blocks))
		}
		*v = pools.Vertex{X: x}
		blocks = append(blocks, v)
	}
	if len(blocks) == 0 {
		return 0, errEmpty
	}
	slices.SortFunc(blocks, func(a, b *pools.Vertex) int { return int(a.X - b.X) })
	middle = blocks[len(blocks)/2].X
	return middle, pools.FreeVertexBatch(blocks)
}

func sliceFreedWithItsFirst(list []float32) (err error) {
	var blocks []*pools.Vertex
	for _, x := range list {
		v, err := newVertex(x)
		if err != nil {
			return errors.Join(err, pools.FreeVertexBatch(blocks))
		}
		blocks = append(blocks, v)
	}
	if len(blocks) == 0 {
		return nil
	}
	nearest := slices.MinFunc(blocks, func(a, b *pools.Vertex) int { return int(length(a) - length(b)) })
	log.Print(nearest.X)
	for _, v := range blocks {
		err = errors.Join(err, pools.FreeVertex(v))
	}
	return errors.Join(err, pools.FreeVertex(nearest)) // WRONG double: the nearest is one of the blocks
}
