package spec

// CodeUnsupported marks what the language has and the generator of this build does not.
const CodeUnsupported Code = "PG060"

// CodeCollision marks a name that two parts of the pool file would both declare.
const CodeCollision = codeCollision

// CodeDeclared marks a name that the output needs and that the output folder declares already.
const CodeDeclared = codeDeclared

// CodeFault marks a fault of poolgen itself, found before anything was written.
const CodeFault Code = "PG061"

// generateCodes are found by the generator, in pool files that are valid.
var generateCodes = []CodeInfo{
	{
		Code:  CodeUnsupported,
		Title: "this build of poolgen cannot generate it yet",
		Help: "The pool file is valid, and check and explain work on it, but the generator of this build has no templates for\n" +
			"what the key asks for. Use one of the values that the finding names, or a later version of poolgen.",
		Bad:       "version: 1\npools:\n  - name: Frame\n    allocator: device\n    suballocator: heap\n",
		Good:      "version: 1\npools:\n  - name: Frame\n    allocator: host\n    suballocator: heap\n",
		Generator: true,
	},
	{
		Code:  CodeFault,
		Title: "poolgen could not generate the pool",
		Help: "A template did not accept what the pool file asks for, although the file is valid. That is a fault of poolgen:\n" +
			"please report it together with the pool file. No file was changed.",
		Generator: true,
	},
}
