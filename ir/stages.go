package ir

// Varying is a register that passes added between the stages: the vertex program
// writes Out, the pixel program reads In (components unused). Semantic is the
// index that tells it from others where linkage goes by semantics. Of programs that
// have other partners too, one may have the register and the other one not: then that of the
// other has no file.
type Varying struct {
	Out, In  Reg
	Semantic uint8
}

// Stages is what only a language with two programs to a draw has: a vertex program, whose
// outputs are interpolated, and a pixel program that reads them. Files are numbered alike
// in both. It is to such a pair what [Dialect] is to either program.
type Stages interface {
	// Link tells how the outputs of the vertex program reach the inputs of the pixel
	// program; added are registers that passes put between them since they were read.
	Link(added ...Varying) (*Linkage, error)
	// CanMirror reports whether the host can set a constant of the vertex program, of the
	// same file, to what it sets r to for the pixel program.
	CanMirror(r Reg) bool
	// FreeConstants lists the registers that constants of the vertex program, as it has
	// become, may take, those to take first in front.
	FreeConstants(vertex *Func) []uint16
	// FreePixelConstants is the same of the pixel program.
	FreePixelConstants(pixel *Func) []uint16
	// Growth compares errors of versions of the pair with those of one of them, which does not
	// change meanwhile.
	Growth(before *Draw) Growth
}

// Growth compares errors of versions of a pair with those of the version that it was made for.
type Growth interface {
	// To tells where errors grow most up to after, and how many times, if that is more than limit
	// times; else growth is 0.
	To(after *Draw, limit float64) (op Op, growth float64)
	// Close gives memory back: nothing is asked any more.
	Close()
}

// Draw is a version of the programs of a pair, as far as [Growth] has to know it.
type Draw struct {
	Vertex, Pixel *Func
	Varyings      []Varying // that passes added
	// Shared maps constants of the vertex program to those of the pixel program whose values
	// the host sets them to.
	Shared map[uint16]uint16
	// Lowered maps constants of the pixel program to those of the vertex program likewise.
	Lowered map[uint16]uint16
}

// Linkage is how the outputs of a vertex program reach the inputs of a pixel program.
// Below shader model 3 the rasterizer matches by register (oT0 to t0, oD0 to v0), in
// 3.0 by the usage and index of declarations ("dcl_usage" in the Direct3D 9 reference).
type Linkage struct {
	Links []Link
	// Free are registers that exist on both sides and that neither program uses,
	// in the order in which to take them.
	Free []Varying
	// Open are registers that the vertex program writes and the pixel program has not, but
	// may have. They are of use where they are written for another pixel program.
	Open []Varying
	// Outputs are the registers that the vertex program writes for the pixel program
	// alone: not the position, and not what fixed functions consume.
	Outputs []Reg
	// Whole tells that a fetch reads its coordinates without a swizzle: .x first.
	Whole bool
}

// Link is a register of the pixel program that the rasterizer fills, and the
// vertex output that it is interpolated from. Components correspond one to one.
type Link struct {
	Out, In Reg // components unused; Out.File is 0 where the vertex program writes nothing
	// Linear tells that the value read is the perspective-correct interpolation of
	// the value written, at full precision and at the pixel centre.
	Linear bool
	// Half tells that the pixel program declares the register in partial precision.
	Half bool
	// Shared tells that several semantics are packed into the register, so that its
	// free components cannot be told from theirs.
	Shared bool
	// Named tells that OpenGL has a name for the semantic: the first four coordinates, and colours.
	Named bool
}
