package draws

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Upload states that the host must also set a pixel constant in the vertex stage: pixel register From to
// vertex register To. Lowered reverses the direction.
type Upload struct {
	From, To uint16
	Lowered  bool
}

// Stage returns the stage of To.
func (u Upload) Stage() d3d9.Stage {
	if u.Lowered {
		return d3d9.Pixel
	}
	return d3d9.Vertex
}

// Apply sets the constant in the banks of both stages.
func (u Upload) Apply(vertex, pixel *interp.Constants) {
	from, to := pixel, vertex
	if u.Lowered {
		from, to = vertex, pixel
	}
	var v [4]float32
	if int(u.From) < len(from.Float) {
		v = from.Float[u.From]
	}
	to.SetFloat(int(u.To), v)
}

// WithUploads returns c with the uploads of an optimised pair applied. It does not change c; a pixel
// register that c does not set is zero.
func WithUploads(c *interp.Case, uploads []Upload) *interp.Case {
	d := clone(c)
	for _, u := range uploads {
		u.Apply(&d.Vertex, &d.Pixel)
	}
	return &d
}

// clone copies a case so that the float constants of the copy can be set. The textures are arrays of
// pointers: the copy can replace its textures, but shares their contents.
func clone(c *interp.Case) interp.Case {
	d := *c
	d.Vertex.Float = slices.Clone(c.Vertex.Float)
	d.Pixel.Float = slices.Clone(c.Pixel.Float)
	return d
}
