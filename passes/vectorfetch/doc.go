// Package vectorfetch makes fetches of single numbers that lie side by side one fetch of a
// vector, where the host can bind a resource as one of vectors (Jang, Do, Pien and Kaeli,
// "Architecture-aware optimization targeting multithreaded stream computing", 2009: vector
// types).
package vectorfetch
