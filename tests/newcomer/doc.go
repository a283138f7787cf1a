// Package newcomer follows the README, docs/install.md and docs/tutorial.md word for word in an empty directory: it writes their files and runs their
// commands unchanged. It serves poolgen as a module made of the working tree, and everything else through the user's module proxy; there is no other network.
package newcomer
