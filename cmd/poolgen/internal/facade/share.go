package facade

import (
	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// importer declares the function that opens the pool of another process.
func (p *pool) importer(f *jen.File) {
	if !p.Can.Share {
		return
	}
	name := spec.NameOf("Import", p.Spec.Name, "Pool")
	comment(f, name+" returns a pool of the blocks of another process, which shares them: f is the file that Export of its pool made.\n"+
		"The caller closes it, at once if need be. Blocks come by Open, and freeing one closes it; nothing can be allocated. Each file is for one importer, on the\n"+
		"device of the exporting pool: if that is not the current one, poolrt.OnDevice chooses it. Close it before the exporting pool is closed.\n"+
		"A file that was not exported by such a pool is refused with poolrt.ErrBadFile.")
	pool, engine := jen.Id("p"), jen.Id("p").Dot("ready").Call()
	body := []jen.Code{pool.Clone().Op(":=").New(jen.Id(p.Names.Pool))}
	if p.Can.EachDevice {
		engine = jen.Id("p").Dot("one").Dot("ready").Call()
		body = append(body, jen.Id("p").Dot("root").Op("=").Id("p").Comment("it is on one device"))
	}
	f.Func().Id(name).Params(jen.Id("f").Op("*").Qual("os", "File"), jen.Id("options").Op("...").Qual(lower.RuntimePath, "Option")).
		Params(jen.Op("*").Id(p.Names.Pool), jen.Error()).Block(append(body,
		jen.If(
			jen.Err().Op(":=").Qual(lower.CUDAPath, "Import").Call(engine, jen.Id("f"), jen.Id("options").Op("...")),
			jen.Err().Op("!=").Nil(),
		).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Id("p"), jen.Nil()),
	)...)
}

// importedOn makes On of an imported pool, which is on one device, return the pool itself.
func (p *pool) importedOn() []jen.Code {
	if !p.Can.Share {
		return nil
	}
	return []jen.Code{jen.If(jen.Id("p").Dot("root").Op("==").Id("p")).Block(jen.Return(jen.Id("p")).Comment("imported"))}
}

// shareFunctions are the package functions of shareable pools.
func (p *pool) shareFunctions() []function {
	return []function{
		{"Export", nil, []jen.Code{jen.Op("*").Qual("os", "File"), jen.Error()}, exportDoc(p)},
		{"Share", []param{{"block", p.block()}}, []jen.Code{jen.Qual(lower.CUDAPath, "Shared"), jen.Error()},
			"describes a live block to processes that have imported the pool: Open of their pool finds it. Its chunk stays with the pool\n" +
				"until Close. Wait for the work on the block before the description is sent, and free the block when all others have freed it."},
	}
}

// exportDoc describes Export.
func exportDoc(p *pool) string {
	return "returns a file by which one other process, which inherits or is sent it, gets the pool: " + spec.NameOf("Import", p.Spec.Name, "Pool") + " takes it there.\n" +
		"The caller closes it once it is handed on, which does not close the pool. Call it once for each process." +
		p.unlessAll(spec.Allocator.Shares, "other processes cannot share")
}

// shareMethods are the methods of shareable pools that act on the engine; Share and Open are with the other methods on blocks.
func (p *pool) shareMethods() []method {
	if !p.Can.Share {
		return nil
	}
	return []method{{
		name: "Export", doc: "Export " + exportDoc(p), results: []jen.Code{jen.Op("*").Qual("os", "File"), jen.Error()},
		body: func(*pool) []jen.Code {
			return []jen.Code{jen.Return(jen.Qual(lower.CUDAPath, "Export").Call(jen.Id("p").Dot("ready").Call()))}
		},
	}}
}
