package registry

import (
	"strconv"
	"strings"
	"sync"
)

// names has the names in use. A goroutine that holds the lock of a pool may take mu; one that holds mu takes no other lock.
var names struct {
	mu    sync.Mutex
	taken map[string]*Name
	held  map[heldName]*Name
}

// heldName is a name as it was given, and who has it or a number of it.
type heldName struct {
	given  string
	holder any
}

// Name is the name of one pool, which the instances of a pool on several devices share. No two pools that are in use have the same name.
type Name struct {
	Text string
	heldName
	pools int // with this name
	next  int // the numbers from 2 up to next are taken; guarded by mu
}

// TakeName returns a name for a pool: the given one or, if that is taken, the given one with the lowest number from 2 on that is free, such as "scene.Vertex 2".
// holder is the pool or stands for its instances, which share one name. Return gives the name back.
func TakeName(given string, holder any) *Name {
	names.mu.Lock()
	defer names.mu.Unlock()
	if names.taken == nil {
		names.taken, names.held = map[string]*Name{}, map[heldName]*Name{}
	}
	key := heldName{given, holder}
	n := names.held[key]
	if n == nil {
		n = &Name{Text: free(given), heldName: key, next: 2}
		names.taken[n.Text], names.held[key] = n, n
	}
	n.pools++
	return n
}

// free returns the text of the first name that is not taken.
func free(given string) string {
	first := names.taken[given]
	if first == nil {
		return given
	}
	for ; ; first.next++ {
		if text := given + " " + strconv.Itoa(first.next); names.taken[text] == nil {
			return text
		}
	}
}

// Return gives the name of one pool back. The pool must not use it any more, except in what it says about itself.
func (n *Name) Return() {
	names.mu.Lock()
	defer names.mu.Unlock()
	if n.pools--; n.pools > 0 {
		return
	}
	delete(names.taken, n.Text)
	delete(names.held, n.heldName)
	at := strings.LastIndexByte(n.Text, ' ')
	if number, err := strconv.Atoi(n.Text[at+1:]); err == nil && number >= 2 && at >= 0 {
		if first := names.taken[n.Text[:at]]; first != nil {
			first.next = min(first.next, number)
		}
	}
}
