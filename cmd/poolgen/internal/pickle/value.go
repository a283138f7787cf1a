package pickle

// List is a list, or a set. It is used by pointer, because a list may be filled after it is shared.
type List struct{ Items []any }

// Tuple is a tuple.
type Tuple []any

// Bytes is a string of bytes that is not text.
type Bytes string

// Dict is a dict, in the order in which it was filled.
type Dict struct {
	pairs []any          // key, value, key, value ...
	index map[string]int // of values by key, once there are many
}

// fewPairs is the number of pairs up to which a dict is searched one by one.
const fewPairs = 32

// NewDict returns a dict of keys and values in turn.
func NewDict(pairs ...any) *Dict { return &Dict{pairs: pairs} }

// size returns about how many bytes of memory the keys and values take, including the index that Get makes if there are many.
func (d *Dict) size() int64 {
	bytes := slotBytes * int64(cap(d.pairs))
	if len(d.pairs) > 2*fewPairs {
		bytes += indexBytes * int64(len(d.pairs)/2)
	}
	return bytes
}

// Get returns what the dict has for a text, or nil.
func (d *Dict) Get(key string) any {
	if len(d.pairs) > 2*fewPairs {
		return d.find(key)
	}
	for i := len(d.pairs) - 2; i >= 0; i -= 2 {
		if d.pairs[i] == any(key) {
			return d.pairs[i+1]
		}
	}
	return nil
}

// find is Get for a dict that may have any number of keys.
func (d *Dict) find(key string) any {
	if d.index == nil {
		d.index = map[string]int{}
		for i := 0; i < len(d.pairs); i += 2 {
			if k, ok := d.pairs[i].(string); ok {
				d.index[k] = i + 1
			}
		}
	}
	if at, ok := d.index[key]; ok {
		return d.pairs[at]
	}
	return nil
}
