package interp

import "github.com/shaderlift/shaderlift/asm/d3d9"

// lodMode selects how a texture instruction computes the level of detail.
type lodMode uint8

// The modes.
const (
	lodImplicit lodMode = iota // from the derivatives of the coordinates
	lodBias                    // the same plus Fetch.Level
	lodExplicit                // Fetch.Level
	lodGradient                // from Fetch.DX and Fetch.DY
)

// Fetch is a texture instruction over a batch of invocations. Lanes 4q..4q+3 are the quad q of pixels, left
// to right, then down. Coordinates are already divided if the instruction projects, and 0 where the texture
// has fewer. Level, DX and DY are valid only in the modes named. Out must be written in every lane and does
// not overlap the inputs.
type Fetch struct {
	Stage   d3d9.Stage
	Sampler int
	Type    d3d9.TexType // as declared; Tex2D without a declaration
	lod     lodMode
	Coord   [3]*Vec
	Level   *Vec // lodBias, lodExplicit
	DX, DY  [3]*Vec
	Out     [4]*Vec
}

// Textures executes texture instructions. A TextureSet samples real textures; a verifier may substitute a
// function of the coordinates.
type Textures interface {
	Sample(f *Fetch) // stores the result in f
}

// fetch runs a texture instruction.
func (m *machine) fetch(f *fetchInfo) {
	q := &m.req
	q.Stage, q.Sampler, q.Type, q.lod = m.sh.model.Stage, f.sampler, f.typ, f.lod
	q.Level = &m.r[f.w]
	for c := range 3 {
		q.Coord[c], q.DX[c], q.DY[c] = &m.r[f.coord[c]], &m.r[f.dx[c]], &m.r[f.dy[c]]
	}
	for c := range q.Out {
		q.Out[c] = &m.r[f.color[c]]
	}
	m.tex.Sample(q)
	if m.num.FlushDenormals {
		for _, v := range q.Out {
			flushAll(v)
		}
	}
}
