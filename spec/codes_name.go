package spec

// nameCodes are about names and their collisions.
var nameCodes = []CodeInfo{
	{
		Code:  codeImport,
		Title: `the import is malformed, or listed twice`,
		Help:  `An import is a Go identifier and an import path, each once.`,
		Bad:   file("imports: {mesh: /app/mesh}", "pools: [{name: Vertex, item: mesh.Vertex}]"),
		Good:  file("imports: {mesh: example.com/app/mesh}", "pools: [{name: Vertex, item: mesh.Vertex}]"),
	},
	{
		Code:  codeUnusedImport,
		Title: `the import is not used`,
		Help:  `Go refuses unused imports, and an import without a use is most likely a mistake.`,
		Bad:   file("imports: {mesh: example.com/app/mesh}", "pools: [{name: Vertex, item: float32}]"),
		Good:  file("pools: [{name: Vertex, item: float32}]"),
	},
	{
		Code:  codeName,
		Title: `the name is not a Go identifier`,
		Help:  `The name is part of every generated name: a pool Vertex gives VertexPool, AllocVertex and FreeVertex. A name that begins with a lower-case letter exports nothing: a pool vertex gives vertexPool, allocVertex and freeVertex. It has no underscore, as an exported one may.`,
		Bad:   file("pools:", "  - {name: vertex_buffer, item: float32}"),
		Good:  file("pools:", "  - {name: Vertex, item: float32}"),
	},
	{
		Code:  codeCollision,
		Title: `two names collide in the output`,
		Help:  `Each pool generates a set of names. A pool Node has AllocNodeBatch, which a pool NodeBatch would declare again. File names are compared without regard to case. The rule looks at all names a pool could have, so that changing a setting of one pool never breaks another. A package with two pools or more also has a variable Pools.`,
		Bad:   file("pools:", "  - {name: Node, item: uint32}", "  - {name: NodeBatch, item: uint64}"),
		Good:  file("pools:", "  - {name: Node, item: uint32}", "  - {name: NodeGroup, item: uint64}"),
	},
	{
		Code:  codeDeclared,
		Title: `a generated name is declared by hand already`,
		Help:  `The Go files of the output directory are parsed for their declarations; two of the same name would not compile.`,
		Bad:   file("pools:", "  - {name: Vertex, item: float32}"),
		Good:  file("pools:", "  - {name: Corner, item: float32}"),
		GoFile: `package scene

type VertexPool struct{}
`,
	},
}
