package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Meaning is the semantic that a case names an input by. Registers without one, the
// position in the target and the face, are positiont0 and positiont1.
func (p Port) Meaning() (usage d3d9.Usage, index int) {
	if p.Reg.File == d3d9.Misc {
		return d3d9.UsagePositionT, int(p.Reg.Index)
	}
	return p.Usage, int(p.Index)
}

// Invoke runs a lone program over the elements of the attributes of c, one invocation each,
// and returns how many those are too. Those of a pixel program are quads, the last of which
// is completed by repeating the last element; its inputs are attributes as well.
func (s *Shader) Invoke(c *Case, n Numerics) (*Result, int, error) {
	count := c.vertices()
	if count == 0 || count > maxAttrFloats {
		return nil, 0, asm.Errorf(asm.Pos{}, "no-vertices", "the attributes hold no invocation")
	}
	env := &Env{Constants: &c.Vertex, Textures: &c.VertexTex, Numerics: n}
	if s.model.Stage == d3d9.Pixel {
		env.Constants, env.Textures = &c.Pixel, &c.PixelTex
	}
	whole := (count + 3) / 4 * 4
	in := make([]Words, len(s.inputs))
	for i, p := range s.inputs {
		a := c.attr(p.Meaning())
		for k := range 4 {
			v := make([]float32, 0, whole+Lanes)
			for first := 0; first < whole; first += Lanes {
				var d Vec
				loadAttr(&d, a, k, first, count)
				v = append(v, d[:]...)
			}
			in[i][k] = v
		}
	}
	res, err := s.Run(env, whole, in)
	return res, count, err
}
