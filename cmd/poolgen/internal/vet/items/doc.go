// Package items finds pools whose item type has a pointer inside: PG110, which poolgen explain shows with an example.
//
// It looks at the generated package, and reports at the field where the type is declared there, else at the pool's declaration. Generation cannot see it: it never
// loads the user's types.
package items
