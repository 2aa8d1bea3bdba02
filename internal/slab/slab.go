// Package slab hands out memory that is used again, piece by piece: for what is made many times
// over and given up as a whole.
package slab

// Slab hands out pieces of arrays: of small ones at first, and of one that suffices when it
// begins again. array is the current one, used how much of it was handed out, total how much of
// all arrays since the last start, chunk the size of the next one.
type Slab[T any] struct {
	array       []T
	used, total int
	chunk       int
}

// Again forgets what was handed out, which the caller must no longer use, and makes chunk
// elements at a time as long as it has too few. An eighth is added, so that what grows slowly does
// not make a new array each time.
func (s *Slab[T]) Again(chunk int) {
	if s.total > len(s.array) {
		s.array = make([]T, s.total+s.total/8)
	}
	s.used, s.total, s.chunk = 0, 0, chunk
}

// Room is Again where n elements are going to be taken.
func (s *Slab[T]) Room(n int) {
	if len(s.array) < n {
		s.array = make([]T, n+n/8)
	}
	s.used, s.total, s.chunk = 0, 0, n
}

// Take is a piece of n elements, of what may have been used before.
func (s *Slab[T]) Take(n int) []T {
	if len(s.array)-s.used < n {
		s.array, s.used = make([]T, max(n, s.chunk)), 0
	}
	piece := s.array[s.used : s.used+n : s.used+n]
	s.used += n
	s.total += n
	return piece
}

// Zeros is n zeros, in s if they fit; else there is a quarter more room than asked for.
func Zeros[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}
