// Package specialize turns template packages, which are ordinary Go with tests of their own, into the source of one pool, or of a part that
// several pools share.
//
// A template marks its parameters and what depends on them with three directives, each a comment line of its own
// in the comment of what it applies to:
//
//	//poolgen:param      the value of this const or var is a parameter
//	//poolgen:type       the right side of this alias is a parameter
//	//poolgen:if cond    this declaration or field exists only if cond holds
//
// Everything else is plain Go: variants are written as if statements and switches on constants.
//
// A sentence of a comment that holds for some instances only begins with a condition: a doc link to a boolean constant that parameters decide.
//
//	If [feature.Locked], any goroutine may call it. Unless [single], the chunk is looked for.
//
// If the condition holds, it is removed from the sentence, which then begins with a capital, unless its first word is a link or a name with a capital inside.
// If it does not hold, the sentence is removed. The paragraph is then filled again. A condition has a sentence to itself, in a paragraph of // lines: not in a
// list, in code or between /* and */. The package comment is not part of the output and must not have conditions. Instances also differ if they differ in a
// parameter that only comments mention.
//
// # Pipeline
//
//	link        find the packages of the instance, replacements included            link.go
//	bind        put values in place of the parameters' defaults                     bind.go
//	check       type-check with them; failed assertions name their parameter        check.go, explain.go
//	prune       decide branches, operands, fields and declarations on parameters    prune.go, decide.go, cut.go
//	            decide sentences of comments                                        prose.go, fill.go
//	collect     find every place that names something                               collect.go
//	substitute  look up the caller's types                                          substitute.go
//	shake       keep what the root needs                                            shake.go
//	rename      choose names of declarations and imports                            rename.go, imports.go
//	rewrite     write the names, in code and comments; delete what is not kept      rewrite.go, comments.go
//	assemble    put the files together                                              assemble.go
//	verify      type-check once more, and format                                    verify.go
//
// Each template file is parsed once; its text and syntax tree are shared by all instances. A pass never changes the tree: it reports edits of
// byte ranges of the text, and all edits are applied at the end. That is why all other comments and line breaks of the template survive. For
// the checker, instances differ only in bound values; the few nodes that lead to one are copied. Instances that differ only in names, types and
// opaque values share the results of all passes up to collect (prepare.go).
//
// An instance may be given the result of another one, in place of a package that its templates import (given.go). This is how pools share a
// suballocator.
//
// Packages that are not templates are never loaded. The checker gets stubs, and reports nothing about what comes from them. So generation does not
// need a user package that compiles, and takes a few milliseconds.
//
// # What decides a branch
//
// A condition is decided if it is constant and depends on a parameter, directly or by way of other constants. A condition that depends on the size
// of a type (unsafe.Sizeof and the like, or the width of int) cannot be decided: only the compiler of the output knows the size. Such a condition is
// refused if it also depends on a parameter or on a type parameter, and otherwise left alone. The same goes for parameters whose value mentions names
// of the output's package or of its imports.
//
// A comment directly above a statement is dropped with the statement, and the comment of a declaration or of a case with that. A comment that is to
// stay is followed by a blank line.
//
// # Restrictions on templates
//
// Refused, with the place: dot, blank and cgo imports, build constraints, init functions, type parameters, raw strings over
// several lines; labels in and on decided branches, break and fallthrough in decided switches, a decided if
// or switch with an init statement, loops on a parameter; pruning that leaves an if or a loop empty or drops a
// call; conditions of sentences that parameters do not decide; literals without keys of a struct with a pruned field, use of anything pruned, embedded
// aliases, composite literals of a type parameter; two packages of one name, and names that collide.
package specialize
