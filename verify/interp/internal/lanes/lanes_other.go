//go:build !amd64 || purego

package lanes

// Sets returns no sets: this platform has no kernels.
func Sets() []Set { return nil }

// The functions below require sets with kernels.

func (s Set) Run([]Op, []Vec, []float32, *[4]uint64) int         { panic(none) }
func (t *Texels) Linear(u, v *Vec, out *[4]*Vec)                 { panic(none) }
func (t *Texels) Nearest(u, v *Vec, out *[4]*Vec)                { panic(none) }
func (p *Plane) Interpolate(x, y, w *float64, d *float32, n int) { panic(none) }
func (p *Plane) Weigh(x, y, w *float64, n int)                   { panic(none) }

func CentresX(at []int32, origin float64, d *float64) { panic(none) }
func CentresY(at []int32, origin float64, d *float64) { panic(none) }

func Store(target []float32, w int, x, y []int32, live uint64, from *[4]*Vec) { panic(none) }

const none = "lanes: no kernels"
