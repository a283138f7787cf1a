package facade

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/spec"
)

// assertion is a rule about the size or alignment of a user's type, which only the Go compiler knows: its constant is negative where the
// rule is broken. It is then the length of an array, an error in which the compiler prints the name of the constant:
//
//	./vertex_pool.go:18:10: invalid array length vertexChunkSizeRule (constant -1 of type int64)
//
// No line of the pool file stands in the output: a comment that is added there would make it stale.
type assertion struct {
	key   string // whose value breaks the rule, as the pool file sets it
	name  string // of the constant, between the pool's and the word Rule
	rule  string // continues the key
	when  func(*pool) bool
	value func(*pool) *jen.Statement // of type int64
}

// assertions are the rules that package spec checks itself if it knows the size.
var assertions = []assertion{
	{"item", "Item", "%s must take up space",
		func(*pool) bool { return true },
		func(p *pool) *jen.Statement { return p.measure("Sizeof").Op("-").Lit(1) }},
	{"block_size", "BlockSize", "must hold %s",
		func(p *pool) bool { return p.Spec.BlockSize > 0 },
		func(p *pool) *jen.Statement { return size(p.Spec.BlockSize).Op("-").Add(p.measure("Sizeof")) }},
	{"block_size", "BlockAlignment", "must be a multiple of the alignment of %s",
		func(p *pool) bool { return p.Spec.BlockSize > 0 },
		func(p *pool) *jen.Statement {
			return jen.Op("-").Parens(p.least().Op("%").Add(p.measure("Alignof")))
		}},
	{"alignment", "Alignment", "must not be below that of %s",
		func(p *pool) bool { return p.Spec.Alignment > 0 },
		func(p *pool) *jen.Statement { return size(p.Spec.Alignment).Op("-").Add(p.measure("Alignof")) }},
	{"chunk_size", "ChunkSize", "must hold a block of %s",
		func(p *pool) bool { return p.Spec.ChunkSet },
		func(p *pool) *jen.Statement { return size(p.Spec.ChunkSize).Op("-").Add(p.least()) }},
	{"limit", "Limit", "must leave room for a block of %s",
		func(p *pool) bool { return p.Spec.Limit != spec.NoLimit },
		func(p *pool) *jen.Statement { return p.room(p.Spec.Limit).Op("-").Add(p.least()) }},
	{"budget", "Budget", "must leave room for a block of %s",
		func(p *pool) bool { return p.Budget != nil },
		func(p *pool) *jen.Statement { return p.room(p.Budget.Spec.Limit).Op("-").Add(p.least()) }},
	{"arena_size", "ArenaSize", "must hold a block of %s",
		func(p *pool) bool { return p.Spec.Suballocator.Info().Arenas },
		func(p *pool) *jen.Statement { return size(p.Spec.ArenaSize).Op("-").Add(p.least()) }},
}

// room returns the bytes that a limit leaves for chunks: whole units of the allocator.
func (p *pool) room(limit int64) *jen.Statement {
	return size(limit - limit%max(p.Spec.Granularity, 1))
}

// least returns the size of the smallest block.
func (p *pool) least() *jen.Statement {
	if p.Spec.ItemForm() {
		return jen.Int64().Call(jen.Id(p.Core.Stride))
	}
	return p.measure("Sizeof")
}

// measure returns unsafe.Sizeof or a similar function of the item.
func (p *pool) measure(what string) *jen.Statement {
	return jen.Int64().Call(jen.Qual("unsafe", what).Call(jen.Op("*").Parens(jen.Op("*").Add(p.item())).Call(jen.Nil())))
}

// assert writes the assertions on the values that the pool file sets. Package program finds the line of a value
// by the pool and the key in the comment.
func (p *pool) assert(f *jen.File) {
	if p.Spec.Item.Kind != spec.ItemUser {
		return
	}
	for _, a := range assertions {
		if !p.sets(a.key) || !a.when(p) {
			continue
		}
		name := p.Names.Prefix + a.name + "Rule"
		comment(f, fmt.Sprintf("Pool %s: %s "+a.rule+".", p.Spec.Name, a.key, p.itemText()))
		f.Const().Id(name).Op("=").Parens(a.value(p)).Op(">>").Lit(63)
		f.Line()
		f.Type().Id("_").Index(jen.Id(name)).Struct()
	}
}

// sets reports whether the pool file sets a key of the pool.
func (p *pool) sets(key string) bool {
	return slices.ContainsFunc(p.Spec.Values, func(v spec.Value) bool {
		return v.Key == key && (v.Origin == spec.FromPool || v.Origin == spec.FromDefaults)
	})
}
