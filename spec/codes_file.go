package spec

// fileCodes are about the file as text and as YAML.
var fileCodes = []CodeInfo{
	{
		Code:  codeNotText,
		Title: `the file is not text`,
		Help:  `A pool file is UTF-8 text. Control characters, characters that reorder the text around them and invisible line ends are refused, because what an editor shows would differ from what is read.`,
		Bad:   "version: 1\npools:\n  - name: Vertex\n    item: float32 # \u0007\n",
		Good:  vertex("item: float32"),
	},
	{
		Code:  codeTab,
		Title: `a line is indented by a tab, or by a space that YAML does not know`,
		Help:  `YAML allows only ordinary spaces for indentation. The width of a tab differs between editors; no-break spaces come with text copied from web pages.`,
		Bad:   "version: 1\npools:\n  - name: Vertex\n\titem: float32\n",
		Good:  vertex("item: float32"),
	},
	{
		Code:  codeSyntax,
		Title: `the file is not valid YAML`,
		Help:  `Most often the indentation of a line fits neither the line above nor the block it should belong to, a colon lacks its space, or a value needs quotes because it begins with a bracket.`,
		Bad:   file("pools:", "  - name: Vertex", "   item: float32"),
		Good:  vertex("item: float32"),
	},
	{
		Code:  codeUnclosed,
		Title: `a bracket or quote is not closed`,
		Help:  `The finding is at the opening one, because the place where it should have been closed is a guess.`,
		Bad:   vertex("item: float32", "on_exhausted: [trim, error", "growth: double"),
		Good:  vertex("item: float32", "on_exhausted: [trim, error]", "growth: double"),
	},
	{
		Code:  codeDuplicateKey,
		Title: `a key is set twice`,
		Help:  `One of the two values would be ignored silently.`,
		Bad:   vertex("item: float32", "limit: 16MiB", "limit: 64MiB"),
		Good:  vertex("item: float32", "limit: 64MiB"),
	},
	{
		Code:  codeAlias,
		Title: `anchors, aliases, merge keys and tags are not allowed`,
		Help:  `They would hide where a value comes from. Use defaults for what pools share.`,
		Bad:   vertex("item: float32", "trim: &keep {keep: 1MiB}"),
		Good:  file("defaults: {trim: {keep: 1MiB}}", "pools:", "  - name: Vertex", "    item: float32"),
	},
	{
		Code:  codeSecondDocument,
		Title: `the file holds a second document`,
		Help:  `Only the first document of a YAML file would be read.`,
		Bad:   file("pools:", "  - name: Vertex", "    item: float32", "---", "version: 1", "pools:", "  - name: Vertex", "    item: float64"),
		Good:  vertex("item: float32"),
	},
	{
		Code:  codeEmpty,
		Title: `the file is empty`,
		Help:  `A pool file needs a version and at least one pool.`,
		Bad: `# nothing yet
`,
		Good: vertex("item: float32"),
	},
	{
		Code:  codeTooLarge,
		Title: `the file is too large, or nested too deeply`,
		Help:  `Pool files are read in bounded time and memory: at most 1 MiB, and 32 levels deep.`,
		Bad: `version: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
`,
		Good: vertex("item: float32"),
	},
	{
		Code:  codeVersion,
		Title: `the version of the language is not known`,
		Help:  `The version says which rules a file was written for. There is one so far.`,
		Bad: `version: 2
pools:
  - {name: Vertex, item: float32}
`,
		Good: file("pools:", "  - {name: Vertex, item: float32}"),
	},
	{
		Code:  codeOutput,
		Title: `output is not a directory below the pool file`,
		Help:  `Generated files stay inside the directory of the pool file, and so inside its module.`,
		Bad:   file("output: ../scene", "pools: [{name: Vertex, item: float32}]"),
		Good:  file("output: ./scene", "pools: [{name: Vertex, item: float32}]"),
	},
	{
		Code:  codeBuildTags,
		Title: `build_tags is not a build constraint`,
		Help:  `The condition becomes a go:build line of the generated files: tags with &&, ||, ! and parentheses. With !, it needs quotes in YAML. It holds in some build.`,
		Bad:   file(`build_tags: "cuda, linux"`, "pools: [{name: Vertex, item: float32}]"),
		Good:  file(`build_tags: "cuda && linux"`, "pools: [{name: Vertex, item: float32}]"),
	},
	{
		Code:  codePackage,
		Title: `package is not a Go package name`,
		Help:  `The name becomes the package clause of the generated files.`,
		Bad:   file("package: my-scene", "pools: [{name: Vertex, item: float32}]"),
		Good:  file("package: scene", "pools: [{name: Vertex, item: float32}]"),
	},
	{
		Code:  codePackageDiffers,
		Title: `package is not the one in the directory`,
		Help:  `All Go files of a directory belong to one package, so the generated ones take the name that is there.`,
		Bad:   file("package: scene", "pools: [{name: Vertex, item: float32}]"),
		Good:  file("package: render", "pools: [{name: Vertex, item: float32}]"),
		GoFile: `package render
`,
	},
}
