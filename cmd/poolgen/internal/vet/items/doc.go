// Package items finds pools whose item type has a pointer inside: PG110, which poolgen explain shows with an example.
//
// It checks the generated package. The finding is at the field if the type is declared in that package, else at the pool's declaration. generate
// cannot find this mistake, because it never loads the user's types.
package items
