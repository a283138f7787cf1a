package facade

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// types declares the type of the pool's blocks if the pool file names no Go type, and the type of its marks.
func (p *pool) types(f *jen.File) {
	if p.Item.Declared {
		comment(f, fmt.Sprintf("%sBlock is one block of the pool %s: %d bytes.", p.Spec.Name, p.Spec.Name, p.Spec.BlockSize))
		f.Type().Id(p.Names.Block).Index(jen.Id(decimal(p.Spec.BlockSize))).Byte()
	}
	if p.Can.Mark {
		comment(f, p.Names.Mark+" is a place to go back to. It is valid until blocks handed out before it are freed; the zero "+p.Names.Mark+" never is.")
		f.Type().Id(p.Names.Mark).Id(p.Core.Mark)
	}
}

// constructor declares NewFooPool.
func (p *pool) constructor(f *jen.File) {
	name := spec.NameOf("New", p.Spec.Name, "Pool")
	may := "name it and change its limit and the like"
	if what := p.chosen(); what != "" {
		may = "name it, change its limit and the like, and choose its " + what
	}
	comment(f, name+" returns a new pool, separate from the package's. Options may "+may+".\nThe caller closes the pool; "+p.safety()+".\n"+p.openErrors()+p.primeDoc())
	f.Func().Id(name).Params(jen.Id("options").Op("...").Qual(lower.RuntimePath, "Option")).
		Params(jen.Op("*").Id(p.Names.Pool), jen.Error()).Block(
		jen.Id("p").Op(":=").New(jen.Id(p.Names.Pool)),
		jen.If(
			jen.Err().Op(":=").Add(p.opened(jen.Id("p"), jen.Id("p"))),
			jen.Err().Op("!=").Nil(),
		).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Id("p"), jen.Nil()),
	)
}

// opened returns the call that opens a pool, given a reference to it, with options.
func (p *pool) opened(pool, reference *jen.Statement) *jen.Statement {
	if p.Can.EachDevice {
		return pool.Clone().Dot("each").Dot("Open").Call(jen.Id("options"), reference, p.maker())
	}
	return pool.Dot("ready").Call().Dot("Open").Call(jen.Id("options").Op("..."))
}

// openErrors describes the errors of options.
func (p *pool) openErrors() string {
	s := "A limit above " + p.mostText() + " is refused with poolrt.ErrBadSize"
	if p.Spec.MaxLimit == spec.NoLimit {
		s = "A negative limit is refused with poolrt.ErrBadSize"
	}
	refused := choose(p.Spec.NeedsDriver(), "", "OnDevice")
	if len(p.Spec.Others) > 0 {
		refused += choose(refused == "", "", " and ") + "an allocator other than " + p.memoryText()
	}
	return s + choose(refused == "", ".", ", and "+refused+" with poolrt.ErrUnsupported.")
}

// mostText names the largest limit that a program may set.
func (p *pool) mostText() string {
	if p.Spec.MaxLimit == p.Spec.Limit {
		return "that of the pool file"
	}
	return "max_limit of the pool file, " + p.amount(p.Spec.MaxLimit) + ","
}

// primeDoc says what a new pool reserves; "" if that is nothing.
func (p *pool) primeDoc() (doc string) {
	if p.Spec.Prime > 0 {
		doc = "\nThe pool reserves " + spec.FormatSize(p.Spec.Prime) + " at the start, which may fail as an allocation does."
	}
	if s := p.Spec.Sleep; s != nil && s.Prime {
		doc += "\nIt obtains the memory of the host to sleep, which may fail with poolrt.ErrLimit or poolrt.ErrOutOfMemory."
	}
	return doc
}
