// Package poolcopies finds pools that are copied: PG111, which poolgen explain shows with an example.
//
// A pool is copied by an assignment, a parameter, a receiver, a result or an element that has the type itself and not a pointer to it, also as a part
// of a struct or an array. A composite literal and a variable's zero value are not copies.
package poolcopies
