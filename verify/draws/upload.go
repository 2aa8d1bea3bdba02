package draws

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Upload says that the host must also set a pixel constant in the vertex stage: pixel register
// From to vertex register To. One that is Lowered is the other way round.
type Upload struct {
	From, To uint16
	Lowered  bool
}

// Stage is that of To.
func (u Upload) Stage() d3d9.Stage {
	if u.Lowered {
		return d3d9.Pixel
	}
	return d3d9.Vertex
}

// Set sets the constant in the banks of both stages.
func (u Upload) Set(vertex, pixel *interp.Constants) {
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

// WithUploads is c as the host of an optimised pair sets it up. c stays as it is; a pixel register that
// it does not set is zero.
func WithUploads(c *interp.Case, uploads []Upload) *interp.Case {
	d := clone(c)
	for _, u := range uploads {
		u.Set(&d.Vertex, &d.Pixel)
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
