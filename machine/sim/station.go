package sim

import "github.com/shaderlift/shaderlift/internal/container"

// station is a unit that serves slots wavefronts at a time; others queue, the oldest first.
type station struct {
	slots   int            // free
	waiting container.Heap // of places, by the number in the launch: shared units have a hundred
}
