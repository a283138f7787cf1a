package facade

import (
	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/spec"
)

// captureMethods are the methods of pools that take part in captures.
func (p *pool) captureMethods() []method {
	if p.Spec.Capture != spec.CapturePrivate {
		return nil
	}
	return []method{{
		name: "CapturePool", doc: "CapturePool makes the pool a poolrt.Capturer, for BeginCaptureWith of package cuda." +
			choose(p.Can.EachDevice, "\nIt is that of the current device: On chooses that of the stream's device.", ""),
		results: []jen.Code{jen.Any()},
		body:    func(*pool) []jen.Code { return []jen.Code{jen.Return(jen.Id("p").Dot("ready").Call())} },
	}}
}
