package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator/hazard"
)

// owned are the objects of the program that graphs own.
type owned struct {
	userObjects map[abi.UserObject]*userObject
	leaving     []leaving
}

// userObject is an object of the program. It ends with its last reference.
type userObject struct {
	handle     abi.UserObject
	references int          // of the program, graphs and instantiated graphs
	clock      hazard.Clock // of the launches that had references
}

// leaving are references of an instantiated graph that was destroyed: they end when its last launch is done.
type leaving struct {
	owns []*userObject
	last *op
}

// retain adds a reference to each object.
func retain(list []*userObject) {
	for _, o := range list {
		o.references++
	}
}

// disown ends a reference to each object when an operation is done.
func (d *Driver) disown(list []*userObject, last *op) {
	if last != nil && !last.done {
		d.leaving = append(d.leaving, leaving{list, last})
		return
	}
	for _, o := range list {
		if last != nil {
			o.clock = o.clock.Join(last.clock)
		}
		if o.references--; o.references == 0 {
			delete(d.live[KindUserObject], uint64(o.handle)) // the handle stands for the object until the program has seen the end
		}
	}
}

// disownDone ends the references that waited for launches which are done by now.
func (d *Driver) disownDone() {
	for _, l := range slices.Clone(d.leaving) {
		if l.last.done {
			d.leaving = slices.DeleteFunc(d.leaving, func(x leaving) bool { return x.last == l.last })
			d.disown(l.owns, l.last)
		}
	}
}

// UserObjectCreate makes an object with one reference, that of the program.
func (d *Driver) UserObjectCreate() (abi.UserObject, abi.Result) {
	r := d.begin("cuUserObjectCreate")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	o := &userObject{abi.UserObject(d.handle(KindUserObject)), 1, nil}
	d.userObjects[o.handle] = o
	d.born(KindUserObject, uint64(o.handle), 0)
	return o.handle, abi.Success
}

// UserObjectRelease ends the reference of the program.
func (d *Driver) UserObjectRelease(h abi.UserObject) abi.Result {
	r := d.begin("cuUserObjectRelease")
	defer d.mu.Unlock()
	o := d.userObjects[h]
	switch {
	case r != abi.Success:
		return r
	case o == nil || o.references == 0:
		d.badRelease("cuUserObjectRelease", uint64(h))
		return abi.InvalidHandle
	}
	d.disown([]*userObject{o}, nil)
	return abi.Success
}

// GraphRetainUserObject moves the reference of the program to a graph.
func (d *Driver) GraphRetainUserObject(g abi.Graph, h abi.UserObject) abi.Result {
	r := d.begin("cuGraphRetainUserObject")
	defer d.mu.Unlock()
	to, o := d.graphs[g], d.userObjects[h]
	switch {
	case r != abi.Success:
		return r
	case to == nil || o == nil || o.references == 0:
		return abi.InvalidHandle
	}
	to.owns = append(to.owns, o)
	return abi.Success
}

// UserObjectGone reports whether the last reference has ended; the object is then forgotten. Objects of an earlier machine are gone.
func (d *Driver) UserObjectGone(h abi.UserObject) (bool, abi.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.disownDone()
	if o := d.userObjects[h]; o != nil {
		if o.references > 0 {
			return false, abi.Success
		}
		d.host = d.host.Join(o.clock) // the program learns that the launches are done
		delete(d.userObjects, h)
		d.spareHandle(KindUserObject, uint64(h))
	}
	return true, abi.Success
}
