package container

// Slab allocates pieces from arrays: small ones at first, and a sufficiently large one after Again.
// array is the current array, and used the length of its allocated part. total is the allocated length
// of all arrays since the last start. chunk is the size of the next array.
type Slab[T any] struct {
	array       []T
	used, total int
	chunk       int
}

// Again frees all pieces, which the caller must no longer use. New arrays have at least chunk elements.
// The array grows by an extra eighth, but at most by mostSpare elements, so that slow growth does not need a new
// array each time.
func (s *Slab[T]) Again(chunk int) {
	if s.total > len(s.array) {
		s.array = make([]T, s.total+spare(s.total))
	}
	s.used, s.total, s.chunk = 0, 0, chunk
}

// Reserve works like Again if n elements are going to be taken.
func (s *Slab[T]) Reserve(n int) {
	if len(s.array) < n {
		s.array = make([]T, n+spare(n))
	}
	s.used, s.total, s.chunk = 0, 0, n
}

// mostSpare limits the spare elements of an array.
const mostSpare = 1 << 12

func spare(n int) int { return min(n/8, mostSpare) }

// Alloc returns a piece of n elements with undefined contents.
func (s *Slab[T]) Alloc(n int) []T {
	if len(s.array)-s.used < n {
		s.array, s.used = make([]T, max(n, s.chunk)), 0
	}
	piece := s.array[s.used : s.used+n : s.used+n]
	s.used += n
	s.total += n
	return piece
}

// Zeros returns n zeros, in s if they fit; otherwise the new slice has a quarter more capacity.
func Zeros[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}
