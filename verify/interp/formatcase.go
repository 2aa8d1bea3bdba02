package interp

import (
	"math"
	"strconv"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Format prints c so that ParseCase reads the same case back, to the bit except
// for the payload of a NaN. Constants that are zero, as unset ones are, are left out.
func (c *Case) Format() []byte {
	var w caseWriter
	w.line("size").int(c.Width, c.Height)
	w.line("clear").floats(c.Clear[:]...)
	if c.Offset != [2]float32{} {
		w.line("offset").floats(c.Offset[:]...)
	}
	w.line("prim").word(primNames[c.Prim])
	for _, a := range c.Attrs {
		w.line("attr").word(usageNames[a.Usage]).int(a.Index, a.Comps).floats(a.Data...)
	}
	w.constants("v", &c.Vertex)
	w.constants("p", &c.Pixel)
	w.textures("v", &c.VertexTex)
	w.textures("", &c.PixelTex)
	return append(w.buf, '\n')
}

// caseWriter writes lines: each begins with its key, and words follow behind a space.
type caseWriter struct{ buf []byte }

func (w *caseWriter) line(key string) *caseWriter {
	if len(w.buf) > 0 {
		w.buf = append(w.buf, '\n')
	}
	w.buf = append(w.buf, key...)
	return w
}

func (w *caseWriter) word(s string) *caseWriter {
	w.buf = append(append(w.buf, ' '), s...)
	return w
}

func (w *caseWriter) int(vs ...int) *caseWriter {
	for _, v := range vs {
		w.buf = strconv.AppendInt(append(w.buf, ' '), int64(v), 10)
	}
	return w
}

// floats writes numbers as short as they read back.
func (w *caseWriter) floats(vs ...float32) *caseWriter {
	for _, v := range vs {
		switch w.buf = append(w.buf, ' '); {
		case v != v:
			w.buf = append(w.buf, "nan"...)
		case math.IsInf(float64(v), 1):
			w.buf = append(w.buf, "inf"...)
		case math.IsInf(float64(v), -1):
			w.buf = append(w.buf, "-inf"...)
		default:
			w.buf = strconv.AppendFloat(w.buf, float64(v), 'g', -1, 32)
		}
	}
	return w
}

// constants writes the constants of a stage that are not zero; -0 is not.
func (w *caseWriter) constants(stage string, k *Constants) {
	for i, v := range k.Float {
		var bits uint32
		for _, x := range v {
			bits |= math.Float32bits(x)
		}
		if bits != 0 {
			w.line(stage + "c").int(i).floats(v[:]...)
		}
	}
	for i, v := range k.Int {
		if v != [4]int32{} {
			w.line(stage+"i").int(i, int(v[0]), int(v[1]), int(v[2]), int(v[3]))
		}
	}
	for i, v := range k.Bool {
		if v {
			w.line(stage+"b").int(i, 1)
		}
	}
}

// textures writes the textures of a stage, the size first: of a cube one edge.
func (w *caseWriter) textures(stage string, set *TextureSet) {
	for i, t := range set {
		if t == nil {
			continue
		}
		switch t.Type {
		case d3d9.TexCube:
			w.line(stage+"texcube").int(i, t.W)
		case d3d9.TexVolume:
			w.line(stage+"texvol").int(i, t.W, t.H, t.D)
		default:
			w.line(stage+"tex").int(i, t.W, t.H)
		}
		w.word(filterNames[t.Filter])
		if t.Clamp {
			w.word("clamp")
		} else {
			w.word("wrap")
		}
		if t.Rand {
			w.word("rand").int(t.Seed)
		} else {
			w.word("data").floats(t.Data...)
		}
	}
}
