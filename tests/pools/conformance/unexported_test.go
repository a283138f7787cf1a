package conformance

import (
	"errors"
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A pool whose name begins with a lower-case letter is for its package alone, with items that are not exported either. Programs know it by its name.
func TestPoolForOnePackage(t *testing.T) {
	n := must[*node](t)(allocNode())
	n.left, n.right = 1, 2
	want(t, withNode(func(other *node) error {
		if other == n {
			return errors.New("one block twice")
		}
		return freeNode(other) //poolgen:ignore PG103 the second free has to fail
	}), poolrt.ErrDoubleFree)
	var own *nodePool = defaultNodePool()
	if s := own.Stats(); s.Live != 1 || s.Limit != mib {
		t.Errorf("%+v", s)
	}
	want(t, freeNode(n), nil)
	want(t, freeNode(n), poolrt.ErrDoubleFree)
	var of *poolrt.PoolError
	if err := freeNode(nil); !errors.As(err, &of) || of.Pool != "conformance.node" {
		t.Errorf("the error is of %+v", of)
	}
	if !slices.ContainsFunc(poolrt.Pools(), func(p poolrt.PoolInfo) bool { return p.Name == "conformance.node" }) {
		t.Error("the program does not know the pool")
	}
	want(t, must[*nodePool](t)(newNodePool()).Close(), nil)
}
