// Package afterreset finds blocks of bump and ring pools that are used after Reset or Release in the same function: PG107, which poolgen explain shows with an example.
//
// The pool must certainly be the same one: the package's, or one variable. A Release counts if its mark was made in the function.
package afterreset
