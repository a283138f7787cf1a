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
	return []method{p.engineMethod("CapturePool", "makes the pool a poolrt.Capturer, for BeginCaptureWith of package cuda.", "the stream's device")}
}

// engineMethod is a method by which packages of this module get the engine of the pool. For pools on every device, the documentation says which device On has to choose.
func (p *pool) engineMethod(name, doc, device string) method {
	return method{
		name: name, doc: name + " " + doc + choose(p.Can.EachDevice, "\nIt is that of the current device: On chooses that of "+device+".", ""),
		results: []jen.Code{jen.Any()},
		body:    func(*pool) []jen.Code { return []jen.Code{jen.Return(jen.Id("p").Dot("ready").Call())} },
	}
}
