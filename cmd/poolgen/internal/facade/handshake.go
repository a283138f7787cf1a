package facade

import (
	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// handshake declares constants that do not compile with a runtime package that does not fit the output. As with assertions, the constant is negative
// then, and the compiler prints its name.
//
//	./poolgen.go:15:4: invalid array length runtimeTooNewRunGoToolPoolgenGenerate (constant -1 of type int)
func handshake(f *jen.File) {
	version := func() *jen.Statement { return jen.Lit(poolimpl.NewestOutput) }
	served := func(name string) *jen.Statement { return jen.Qual(lower.ImplPath, name) }
	comment(f, "If one of these is negative, package poolimpl is of a version that this output does not fit.")
	f.Const().Defs(
		jen.Comment("Run go tool poolgen generate."),
		jen.Id(tooNew).Op("=").Parens(version().Op("-").Add(served("OldestOutput"))).Op(">>").Lit(63),
		jen.Comment("Run go get github.com/poolgen/poolgen@latest."),
		jen.Id(tooOld).Op("=").Parens(served("NewestOutput").Op("-").Add(version())).Op(">>").Lit(63),
	)
	f.Line()
	f.Type().Defs(
		jen.Id("_").Index(jen.Id(tooNew)).Struct(),
		jen.Id("_").Index(jen.Id(tooOld)).Struct(),
	)
}

// The names that the compiler prints.
const (
	tooNew = "runtimeTooNewRunGoToolPoolgenGenerate"
	tooOld = "runtimeTooOldRunGoGetPoolgen"
)
