// Package newcomer follows the README word for word in an empty directory: it writes the README's files and runs its commands unchanged. It
// serves poolgen as a module made of the working tree, and everything else through the user's module proxy; there is no other network.
package newcomer
