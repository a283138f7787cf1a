package compile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// set is a key of a pool and a value of it, as a pool file writes them.
type set struct{ key, value string }

// builtins are the builtin types that items may have.
var builtins = strings.Fields("bool byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128")

// valuesOf lists values of a key in the notation of pool files: each word, both ends of a range, each key of a block. With pairs, each key of a block also
// occurs beside each other key of the block.
func valuesOf(k spec.Key, pairs bool) (values []string) {
	switch k.Kind {
	case spec.ChoiceKind:
		values = k.Values
	case spec.BoolKind:
		values = []string{"true", "false"}
	case spec.SizeKind:
		values = sizesOf(k)
	case spec.NumberKind:
		values = []string{strconv.FormatInt(k.Min, 10), strconv.FormatInt(k.Max, 10)}
	case spec.DurationKind:
		values = []string{"0s", "1ns", "1us", "1500us", "1m30s", "2562047h47m16.854775807s"}
	case spec.TypeKind:
		values = append([]string{"'[3]Local'", "Local", "bytes"}, builtins...)
	case spec.ListKind:
		values = listsOf(k)
	case spec.MixedKind:
		values = append(slices.Clone(k.Values), listsOf(k)...)
		values = append(values, blocksOf(spec.Section(k.Name), pairs)...)
	case spec.BlockKind:
		values = blocksOf(spec.Section(k.Name), pairs)
	}
	if k.None && !slices.Contains(values, "none") {
		values = append(slices.Clone(values), "none")
	}
	if k.Example != "" && !slices.Contains(values, k.Example) {
		values = append(slices.Clone(values), k.Example)
	}
	return values
}

// sizesOf lists the ends of the range of a size, and one size in each unit.
func sizesOf(k spec.Key) []string {
	most := k.Max
	if most == 0 {
		most = 1 << 62 // the largest size
	}
	return []string{fmt.Sprint(k.Min), fmt.Sprint(k.Min + 1), "4096", "4096B", "64KB", "64KiB", "1.5MiB", "3MB", "1GB", "4GiB", "1TB", "1TiB", spec.FormatSize(most)}
}

// listsOf lists a list of each word and one of all, or of the ends of a range of numbers.
func listsOf(k spec.Key) (lists []string) {
	words := k.Values
	if words == nil && k.Max > 0 {
		words = []string{"0", fmt.Sprint(k.Max)}
	}
	for _, word := range words {
		lists = append(lists, "["+word+"]")
		if k.Kind == spec.MixedKind && k.Values == nil {
			lists = append(lists, word)
		}
	}
	if k.Kind == spec.MixedKind && k.Max > 0 { // a number stands beside the words
		lists = append(lists, "0", fmt.Sprint(k.Max))
	}
	if len(words) > 1 {
		lists = append(lists, "["+strings.Join(words, ", ")+"]")
	}
	return lists
}

// blocksOf lists blocks of the keys of a section: each value of each key. With pairs, each value also occurs beside a value of each other key.
func blocksOf(section spec.Section, pairs bool) (blocks []string) {
	keys := spec.Keys(section)
	for i, k := range keys {
		for n, value := range valuesOf(k, pairs) {
			alone := []set{{k.Name, value}}
			blocks = append(blocks, block(alone))
			for j, other := range keys {
				if pairs && i != j {
					beside := valuesOf(other, pairs)
					blocks = append(blocks, block(append(alone, set{other.Name, beside[n%len(beside)]})))
				}
			}
		}
	}
	return blocks
}

// companions are keys of a block that others need there.
var companions = []struct{ with, also set }{
	{set{"type", ""}, set{"source", "custom"}},
	{set{"location", ""}, set{"source", "custom"}},
	{set{"max_size", ""}, set{"source", "custom"}},
	{set{"handles", ""}, set{"source", "custom"}},
	{set{"numa", ""}, set{"source", "custom"}},
	{set{"location", "host_numa"}, set{"numa", "0"}},
	{set{"numa", ""}, set{"location", "host_numa"}},
	{set{"min", ""}, set{"max", "4KiB"}},
	{set{"max", ""}, set{"min", "16B"}},
	{set{"growth", ""}, set{"max", "4KiB"}},
	{set{"growth", ""}, set{"min", "16B"}},
}

// block writes a block, with the companions of its keys.
func block(settings []set) string {
	has := func(key string) bool { return slices.ContainsFunc(settings, func(s set) bool { return s.key == key }) }
	for _, s := range slices.Clone(settings) {
		for _, c := range companions {
			if c.with.key == s.key && (c.with.value == "" || c.with.value == s.value) && !has(c.also.key) {
				settings = append(settings, c.also)
			}
		}
	}
	return flow(settings)
}

// flow writes settings as a block in braces.
func flow(settings []set) string {
	var parts []string
	for _, s := range settings {
		parts = append(parts, s.key+": "+s.value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
