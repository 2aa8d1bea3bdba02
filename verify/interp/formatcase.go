package interp

import (
	"math"
	"strconv"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Format prints c so that ParseCase reads the same case back, bit for bit except for the payload of a NaN.
// It omits zero constants, the default.
func (c *Case) Format() []byte {
	var w caseWriter
	w.startLine("size").writeInts(c.Width, c.Height)
	w.startLine("clear").floats(c.Clear[:]...)
	if c.Offset != [2]float32{} {
		w.startLine("offset").floats(c.Offset[:]...)
	}
	w.startLine("prim").writeWord(primNames[c.Prim])
	for _, a := range c.Attrs {
		w.startLine("attr").writeWord(usageNames[a.Usage]).writeInts(a.Index, a.Comps).floats(a.Data...)
	}
	w.constants("v", &c.Vertex)
	w.constants("p", &c.Pixel)
	w.textures("v", &c.VertexTex)
	w.textures("", &c.PixelTex)
	return append(w.buf, '\n')
}

// caseWriter writes lines, each with its key followed by words.
type caseWriter struct{ buf []byte }

func (w *caseWriter) startLine(key string) *caseWriter {
	if len(w.buf) > 0 {
		w.buf = append(w.buf, '\n')
	}
	w.buf = append(w.buf, key...)
	return w
}

func (w *caseWriter) writeWord(s string) *caseWriter {
	w.buf = append(append(w.buf, ' '), s...)
	return w
}

func (w *caseWriter) writeInts(vs ...int) *caseWriter {
	for _, v := range vs {
		w.buf = strconv.AppendInt(append(w.buf, ' '), int64(v), 10)
	}
	return w
}

// floats writes numbers in the shortest form that reads back exactly.
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

// constants writes the nonzero constants of a stage; -0 counts as nonzero.
func (w *caseWriter) constants(stage string, k *Constants) {
	for i, v := range k.Float {
		var bits uint32
		for _, x := range v {
			bits |= math.Float32bits(x)
		}
		if bits != 0 {
			w.startLine(stage + "c").writeInts(i).floats(v[:]...)
		}
	}
	for i, v := range k.Int {
		if v != [4]int32{} {
			w.startLine(stage+"i").writeInts(i, int(v[0]), int(v[1]), int(v[2]), int(v[3]))
		}
	}
	for i, v := range k.Bool {
		if v {
			w.startLine(stage+"b").writeInts(i, 1)
		}
	}
}

// textures writes the textures of a stage, the size first; a cube has one edge length.
func (w *caseWriter) textures(stage string, set *TextureSet) {
	for i, t := range set {
		if t == nil {
			continue
		}
		switch t.Type {
		case d3d9.TexCube:
			w.startLine(stage+"texcube").writeInts(i, t.W)
		case d3d9.TexVolume:
			w.startLine(stage+"texvol").writeInts(i, t.W, t.H, t.D)
		default:
			w.startLine(stage+"tex").writeInts(i, t.W, t.H)
		}
		w.writeWord(filterNames[t.Filter])
		if t.Clamp {
			w.writeWord("clamp")
		} else {
			w.writeWord("wrap")
		}
		if t.Rand {
			w.writeWord("rand").writeInts(t.Seed)
		} else {
			w.writeWord("data").floats(t.Data...)
		}
	}
}
