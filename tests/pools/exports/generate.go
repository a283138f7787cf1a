package main

//go:generate go tool poolgen generate
