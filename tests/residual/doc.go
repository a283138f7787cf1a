// Package residual holds the residual matrix: the templates' own tests, run on the code that is left of the templates after parameters
// are bound. The code that users commit has then passed the same tests as the template, with their kind of parameters.
//
// For each template, the tests run on a set of parameter tuples in which every pair of values of two parameters occurs. For each
// tuple the package and the template packages that it imports are specialised without renaming, into a module that lasts as
// long as the test, next to a copy of the package's tests; all of it is vetted and tested by one call of the go command.
//
// POOLGEN_TESTS=large runs one tuple a template, go test alone none, and all of them
//
//	go test ./tests/residual -residual.all
package residual
