package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
	"sync"
)

// program is the set of template packages of one instance, and all that the passes find out about them.
type program struct {
	loader *loader
	fset   *token.FileSet
	units  []*unit // the root first, then in order of first import
	byName map[string]*unit
	given  map[string]*Result // what is given for an import

	bound bindings // parameters with a value
	info  types.Info
	owner map[*types.Package]*unit
	fails []failure              // what the checker found, pruned code included
	decls map[types.Object]*decl // package-level objects and methods

	consts  map[types.Object]ast.Expr // initial values of constants
	dep     map[types.Object]depends
	fates   map[ast.Stmt]*fate
	dropped map[ast.Node]bool // statements, expressions and fields that are pruned
	gone    map[*decl]bool    // declarations that are pruned
	checks  map[*decl]depends // what blank declarations depend on
	lost    map[types.Object]token.Pos

	refs   map[*decl][]ref
	locals map[string][]local // names declared inside functions
	words  map[*source][]word // of comments
	live   map[*decl]bool

	lenders  map[*types.Package]lender // packages that are given
	borrowed map[types.Object]bool     // types that live code has from what is given

	values  map[*binding]types.Object // constants of templates that are values
	user    userNames
	names   map[types.Object]string
	quals   map[string]string // import path -> local name in the output
	edits   map[*source][]edit
	aliases map[types.Object]string

	verified *sync.Map // shapes whose types were checked: instances of one shape differ only in names, which are checked when they are chosen
}

// unit is a template package within one instance.
type unit struct {
	*template
	deps  map[string]*unit // import path, as written -> package linked
	types *types.Package
	trees []*ast.File // the files with bound values
}
