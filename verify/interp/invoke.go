package interp

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Meaning returns the semantic by which a case names an input. Registers without a semantic, the position
// in the target and the face, are positiont0 and positiont1.
func (p Port) Meaning() (usage d3d9.Usage, index int) {
	if p.Reg.File == d3d9.Misc {
		return d3d9.UsagePositionT, int(p.Reg.Index)
	}
	return p.Usage, int(p.Index)
}

// Invoke runs a single program with one invocation for each element of the attributes of c, and also
// returns the number of elements. Without attributes it runs one invocation whose inputs are zero. Pixel
// programs run in quads: repetitions of the last element complete the last quad. Their inputs are
// attributes as well.
func (s *Shader) Invoke(c *Case, n Numerics) (*Result, int, error) {
	if err := c.sizes(); err != nil {
		return nil, 0, err
	}
	count := max(c.vertices(), 1)
	env := &Env{Constants: &c.Vertex, Textures: &c.VertexTex, Numerics: n}
	if s.model.Stage == d3d9.Pixel {
		env.Constants, env.Textures = &c.Pixel, &c.PixelTex
	}
	whole := (count + 3) / 4 * 4
	in := make([]Words, len(s.inputs))
	for i, p := range s.inputs {
		a := c.attributeOf(p.Meaning())
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
