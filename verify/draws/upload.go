package draws

import (
	"slices"

	"github.com/shaderlift/shaderlift/verify/interp"
)

// Upload says that the host must also set a pixel constant in the vertex stage:
// pixel register From to vertex register To.
type Upload struct{ From, To uint16 }

// WithUploads is c as the host of an optimised pair sets it up. c stays as it is; a pixel register that
// it does not set is zero.
func WithUploads(c *interp.Case, uploads []Upload) *interp.Case {
	d := clone(c)
	for _, u := range uploads {
		var v [4]float32
		if int(u.From) < len(c.Pixel.Float) {
			v = c.Pixel.Float[u.From]
		}
		d.Vertex.SetFloat(int(u.To), v)
	}
	return &d
}

// clone copies a case so that the float constants of the copy can be set. The textures are arrays of
// pointers, so that those of the copy can be replaced, but are shared.
func clone(c *interp.Case) interp.Case {
	d := *c
	d.Vertex.Float = slices.Clone(c.Vertex.Float)
	d.Pixel.Float = slices.Clone(c.Pixel.Float)
	return d
}
