package explore

import "slices"

// NotableTrips are trip counts at which programs may start to behave differently: none, few, around powers of
// two, and the maximum of a count register.
var NotableTrips = []uint32{0, 1, 6, 2, 5, 7, 255, 3, 4, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 254}

// NextTo returns the numbers in list and their neighbours, without those in seen. A change that begins at
// trip n shows with n+1 trips.
func NextTo(list, seen []uint32) (out []uint32) {
	for _, n := range list {
		for _, x := range []uint32{n + 1, n, n - 1} {
			if !slices.Contains(seen, x) && !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}
