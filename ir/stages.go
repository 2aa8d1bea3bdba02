package ir

// Varying is a register that passes added between the stages: the vertex program writes Out, the pixel
// program reads In (components unused). Semantic is the index that identifies it where linkage goes by
// semantics. A program with several partners may have the register where its partner lacks it; the partner's
// register then has no file.
type Varying struct {
	Out, In  Reg
	Semantic uint8
}

// Stages is the interface to a language with two programs to a draw: a vertex program, whose outputs are
// interpolated, and a pixel program that reads them. Both number files alike. A pair has Stages as a program
// has [Dialect].
type Stages interface {
	// Link returns the linkage of the vertex program's outputs to the pixel program's inputs. added are
	// registers that passes put between them since they were read.
	Link(added ...Varying) (*Linkage, error)
	// Common reports whether both programs read the same constant of the host at r, so that either may read it.
	Common(r Reg) bool
	// CanMirror reports whether the host can set a constant of the vertex program to the value of the pixel
	// program's constant r. Both are of the same file.
	CanMirror(r Reg) bool
	// FreeConstants lists the registers that constants of the vertex program, in its current form, may take.
	// The preferred registers come first.
	FreeConstants(vertex *Func) []uint16
	// FreePixelConstants lists the same for the pixel program.
	FreePixelConstants(pixel *Func) []uint16
	// Growth returns a comparison of the errors of later versions of the pair with the errors of before. That
	// version must not change meanwhile.
	Growth(before *Draw) Growth
}

// Growth compares the errors of versions of a pair with the errors of the version that it was made for.
type Growth interface {
	// WorstGrowth returns the op whose error grows most up to after, and the factor, if the factor is above limit;
	// else growth is 0.
	WorstGrowth(after *Draw, limit float64) (op Op, growth float64)
	// Close releases memory. No method may be called after it.
	Close()
}

// Draw is a version of the programs of a pair, as [Growth] needs it.
type Draw struct {
	Vertex, Pixel *Func
	Varyings      []Varying // that passes added
	// Shared maps constants of the vertex program to the constants of the pixel program whose values the host
	// sets them to.
	Shared map[uint16]uint16
	// Lowered maps constants of the pixel program to constants of the vertex program in the same way.
	Lowered map[uint16]uint16
}

// Linkage maps the outputs of a vertex program to the inputs of a pixel program. Below shader model 3 the
// rasterizer matches by register (oT0 to t0, oD0 to v0). In 3.0 it matches by the usage and index of
// declarations ("dcl_usage" in the Direct3D 9 reference).
type Linkage struct {
	Links []Link
	// Free are registers that exist on both sides and that neither program uses, in order of preference.
	Free []Varying
	// Open are registers that the vertex program writes and the pixel program could declare but does not.
	// They are useful if they are written for another pixel program.
	Open []Varying
	// Outputs are the registers that the vertex program writes for the pixel program alone, without the
	// position and without inputs of fixed functions.
	Outputs []Reg
	// Dense is the file of outputs whose registers are written without gaps from the first on, or 0.
	Dense File
	// Whole reports that a fetch reads its coordinates without a swizzle: .x first.
	Whole bool
	// Loose reports that an output has any number of components from the first on, and that the input has as many.
	Loose bool
}

// Link is a register of the pixel program that the rasterizer fills, and the vertex output that it is
// interpolated from. Components correspond one to one.
type Link struct {
	Out, In Reg // components unused; Out.File is 0 where the vertex program writes nothing
	// Linear reports that the value read is the perspective-correct interpolation of the value written, at
	// full precision and at the pixel centre.
	Linear bool
	// Half reports that the pixel program declares the register in partial precision.
	Half bool
	// Shared reports that several semantics are packed into the register, so its free components are not
	// identifiable.
	Shared bool
	// Named reports that OpenGL has a name for the semantic: the first four coordinates, and colours.
	Named bool
}
