// Package unexported has pools of its own, of which nothing is exported.
package unexported

type node struct{ left, right uint32 }

func forgotten() error {
	n, err := allocNode() // want `PG101: the block of pool node is not freed on every path`
	if err != nil {
		return err
	}
	if n.left == 0 {
		return nil
	}
	return freeNode(n)
}

func twice() error {
	n, err := defaultNodePool().Alloc()
	if err != nil {
		return err
	}
	if err := freeNode(n); err != nil {
		return err
	}
	return freeNode(n) // want `PG103`
}

func used() uint32 {
	n, err := allocNode()
	if err != nil || freeNode(n) != nil {
		return 0
	}
	return n.left // want `PG102`
}

func copied() nodePool { // want `PG111: pool node is copied`
	return nodePool{}
}

// freeWords and withNode have names of functions that the pools could have; only pool node has its.
func freeWords(words []byte) { clear(words) }

func right() error {
	words, err := allocWords(8)
	if err != nil {
		return err
	}
	freeWords(words)
	freeWords(words)
	return withNode(func(n *node) error { n.left = 1; return nil })
}
