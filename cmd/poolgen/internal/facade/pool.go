package facade

import (
	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
)

// pool is a pool whose files are printed.
type pool struct {
	*lower.Pool
	pkg *lower.Package
}

// itemText is the element type as comments name it: as the pool file does, even if a file imports it by another name.
func (p *pool) itemText() string { return p.Item.Plain.String() }

// item is the element type as jennifer writes it, importing its package.
func (p *pool) item() *jen.Statement {
	t := p.Item.API
	if t.Qualifier == "" {
		return jen.Id(t.String())
	}
	return jen.Id(t.Array).Qual(p.Spec.Item.Import, t.Name)
}

// block is the type of what one allocation returns.
func (p *pool) block() *jen.Statement {
	switch item := p.Spec.ItemForm(); {
	case item && p.Names.One != "":
		return jen.Id(p.Names.One)
	case item:
		return jen.Op("*").Add(p.item())
	case p.Names.Many != "":
		return jen.Id(p.Names.Many)
	default:
		return jen.Index().Add(p.item())
	}
}
