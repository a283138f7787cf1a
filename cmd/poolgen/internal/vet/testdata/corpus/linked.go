package corpus

import (
	"errors"
	"log"

	"example.com/vet/pools"
)

// Lists and trees whose nodes own blocks.

type listNode struct {
	v    *pools.Vertex
	next *listNode
}

type list struct {
	head *listNode
	size int
}

type treeNode struct {
	v           *pools.Vertex
	left, right *treeNode
}

func (l *list) listPushOwnsBlock(x float32) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	*v = pools.Vertex{X: x}
	l.head = &listNode{v: v, next: l.head}
	l.size++
	return nil
}

func (l *list) listPopReturnsFreed() (*pools.Vertex, error) {
	n := l.head
	if n == nil {
		return nil, errEmpty
	}
	v := n.v
	l.head, l.size = n.next, l.size-1
	if err := pools.FreeVertex(v); err != nil {
		return nil, err
	}
	return v, nil // WRONG use: the caller gets a block that is free
}

func (l *list) listFreesAllNodes() (err error) {
	for n := l.head; n != nil; n = n.next {
		err = errors.Join(err, pools.FreeVertex(n.v))
		n.v = nil
	}
	l.head, l.size = nil, 0
	return err
}

func (l *list) listRemovesAndMeasures(limit float32) (removed float32, err error) {
	for at := &l.head; *at != nil; {
		n := *at
		if length(n.v) <= limit {
			at = &n.next
			continue
		}
		*at = n.next
		l.size--
		err = errors.Join(err, pools.FreeVertex(n.v))
		removed += length(n.v) // WRONG use: the block of the node is free
	}
	return removed, err
}

func listFromNumbersUndoneOnFailure(numbers []float32) (*list, error) {
	l := &list{}
	for _, x := range numbers {
		v, err := newVertex(x)
		if err != nil {
			return nil, errors.Join(err, l.listFreesAllNodes())
		}
		if err := check(v); err != nil {
			return nil, errors.Join(err, pools.FreeVertex(v), l.listFreesAllNodes())
		}
		l.head = &listNode{v: v, next: l.head}
		l.size++
	}
	return l, nil
}

func listFromNumbersLosesBadOne(numbers []float32) (*list, error) {
	l := &list{}
	for i, x := range numbers {
		v, err := newVertex(x)
		if err != nil {
			return l, err
		}
		if err := check(v); err != nil {
			log.Printf("number %d: %v", i, err)
			return l, err // WRONG leak: the block is in no node
		}
		l.head = &listNode{v: v, next: l.head}
		l.size++
	}
	return l, nil
}

func treeInsertFreesDuplicate(root **treeNode, x float32) error {
	v, err := newVertex(x)
	if err != nil {
		return err
	}
	for *root != nil {
		switch n := *root; {
		case x < n.v.X:
			root = &n.left
		case x > n.v.X:
			root = &n.right
		default:
			return errors.Join(errDuplicate, pools.FreeVertex(v))
		}
	}
	*root = &treeNode{v: v}
	return nil
}

func treeInsertLosesDuplicate(root **treeNode, x float32) error {
	v, err := newVertex(x)
	if err != nil {
		return err
	}
	for *root != nil {
		n := *root
		if x == n.v.X {
			return errDuplicate // WRONG leak: the block of the duplicate is in no node
		}
		if x < n.v.X {
			root = &n.left
		} else {
			root = &n.right
		}
	}
	*root = &treeNode{v: v}
	return nil
}

func treeFreedFromTheLeaves(n *treeNode) error {
	if n == nil {
		return nil
	}
	left := treeFreedFromTheLeaves(n.left)
	right := treeFreedFromTheLeaves(n.right)
	n.left, n.right = nil, nil
	return errors.Join(left, right, pools.FreeVertex(n.v))
}

func treeNodeSharesBlockWithCopy(n *treeNode) (err error) {
	twin := &treeNode{v: n.v}
	if n.left != nil && n.right == nil {
		twin.left = n.left
	}
	if err := check(twin.v); err != nil {
		log.Print(err)
	}
	err = pools.FreeVertex(n.v)
	if twin.v != nil {
		err = errors.Join(err, pools.FreeVertex(twin.v)) // WRONG double: both nodes have the same block
	}
	n.v = nil
	return err
}
