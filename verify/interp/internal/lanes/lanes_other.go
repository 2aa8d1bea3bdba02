//go:build !amd64 || purego

package lanes

// Sets are the sets that this processor has.
func Sets() []Set { return nil }

// Run is for sets that have kernels.
func (s Set) Run([]Op, []Vec, []float32, *[4]uint64) int { panic("lanes: no kernels") }
