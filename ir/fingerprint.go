package ir

import "math/bits"

// Fingerprint returns a hash of everything that emission depends on (the emission hash). Beyond the structure
// ([Func.StructuralHash]), it covers value numbers, homes, the statement of each instruction, and varyings.
// Functions of one program and one dialect with equal fingerprints are emitted alike, so price caches use it
// as their key.
//
// It is 128 bits wide and not cryptographic. If it were random, two of a million versions of a program would
// collide with probability 10^12/2^129, less than 2 in 10^27.
func (f *Func) Fingerprint(varyings ...Varying) [2]uint64 {
	p := newPrinter()
	p.function(f)
	p.mixWord(uint64(f.nextID))
	for _, v := range varyings {
		p.mixWord(v.Out.packWord()<<32 | v.In.packWord())
		p.mixWord(uint64(v.Semantic))
	}
	return [2]uint64{p.a, p.b}
}

// StructuralHash returns a number that functions of the same structure share (the structural hash). Such
// functions have the same instructions in the same order, and read the same leaves and results. Value numbers,
// register hints, positions, Precise marks and source statements do not affect it.
//
// The pass manager compares the hash before and after a pass with the change that the pass reports.
func (f *Func) StructuralHash() uint64 {
	p := newPrinter()
	p.order = make([]uint32, f.nextID)
	p.function(f)
	return p.a
}

// printer128 mixes words into two sums. Each step multiplies 64 by 64 bits and folds the halves, which is the
// round of wyhash; the constants are wyhash's too. The sums feed each other, so the pair is stronger than two
// 64-bit hashes.
type printer128 struct {
	a, b uint64
	// order numbers values by definition for the structural hash, from 1, by ID. It is nil for fingerprints.
	order []uint32
	next  uint32
}

func newPrinter() printer128 { return printer128{a: 0x9e3779b97f4a7c15, b: 0xd1b54a32d192ed03} }

func (p *printer128) mixWord(x uint64) {
	hi, lo := bits.Mul64(p.a^x, 0xa0761d6478bd642f)
	p.a = hi ^ lo ^ p.b
	hi, lo = bits.Mul64(p.b^x, 0xe7037ed1a0b428db)
	p.b = hi ^ lo + p.a
}

func (p *printer128) function(f *Func) {
	if f.Threads != [3]uint32{} {
		for _, n := range f.Threads {
			p.mixWord(uint64(n))
		}
	}
	if f.LocalBytes != 0 {
		p.mixWord(uint64(f.LocalBytes))
	}
	p.region(f.Body)
	for _, o := range f.Outs {
		p.mixWord(o.Reg.packWord())
		p.value(o.V)
	}
}

// define numbers a value of a structural hash.
func (p *printer128) define(v *Value) {
	if p.order != nil && v != nil {
		p.next++
		p.order[v.ID] = p.next
	}
}

// id identifies a value in its function. The contents identify leaves in a structural hash.
func (p *printer128) id(v *Value) uint64 {
	switch {
	case p.order == nil:
		return uint64(v.ID)
	case v.IsLeaf():
		return 0
	}
	return uint64(p.order[v.ID])
}

func (p *printer128) value(v *Value) {
	if v == nil {
		p.mixWord(1 << 63)
		return
	}
	home := v.Home.packWord()
	if p.order != nil && !v.IsLeaf() {
		home = 0
	}
	p.mixWord(p.id(v)<<32 | home)
	if v.IsLeaf() {
		p.mixWord(uint64(v.Kind)<<32 | uint64(v.Bits))
	}
}

func (p *printer128) values(vs []*Value) {
	p.mixWord(uint64(len(vs)))
	for _, v := range vs {
		p.value(v)
	}
}

// operand mixes an operand in as few words as possible, because operands dominate the cost. The first word
// has a head, then the ID of the first set lane. Bits 0 to 3 of the head are the set lanes, and bits 4 to 7
// mark the leaves among them. From bit 8 on there are four bits of modifiers a lane, from bit 24 on three
// bits of kind a lane. Leaves also mix in their contents. Computed values are mixed in where they are
// defined.
func (p *printer128) operand(o *Operand) {
	var head uint64
	var ids [4]uint64
	n := 0
	for i := range o {
		v := o[i].V
		if v == nil {
			continue
		}
		head |= 1<<i | uint64(o[i].Mod)<<(8+4*i)
		if v.IsLeaf() {
			head |= 1<<(4+i) | uint64(v.Kind)<<(24+3*i)
		}
		ids[n] = p.id(v)
		n++
	}
	p.mixWord(head<<28 ^ ids[0])
	if n > 1 {
		p.mixWord(ids[1]<<32 | ids[2])
	}
	if n > 3 {
		p.mixWord(ids[3])
	}
	for i := range o {
		if v := o[i].V; head>>(4+i)&1 != 0 {
			p.mixWord(uint64(v.Bits)<<32 | v.Home.packWord())
		}
	}
}

func (p *printer128) region(r *Region) {
	p.mixWord(uint64(len(r.Code)))
	for _, v := range r.Params {
		p.define(v)
	}
	p.define(r.Index)
	p.values(r.Params)
	p.value(r.Index)
	for _, in := range r.Code {
		p.instr(in)
	}
	p.values(r.Results)
}

// boolBit returns 1 for true and 0 for false.
func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// instr mixes in an instruction. Nearly all instructions are plain: they have no resource, no base, no states
// and no regions. A bit records this, so the short form cannot be confused with the start of a long one.
func (p *printer128) instr(in *Instr) {
	if p.order != nil {
		in.EachDef(p.define)
	}
	precise, orig := in.Precise && p.order == nil, in.Orig
	if p.order != nil {
		orig = 0
	}
	plain := in.Base == (Reg{}) && in.Res == (Resource{}) && len(in.Sub)+len(in.Args)+len(in.Results) == 0
	p.mixWord(uint64(in.Op) | uint64(in.Mods)<<16 | uint64(in.Cond)<<24 | uint64(in.Mask())<<32 | boolBit(precise)<<40 | boolBit(plain)<<41 |
		boolBit(in.IsPredicated())<<42 | uint64(len(in.Src))<<48 | uint64(len(in.Sub))<<56)
	p.mixWord(uint64(uint32(orig)) | uint64(in.Imm)<<32)
	for s := range in.Src {
		p.operand(&in.Src[s])
	}
	if in.IsPredicated() {
		p.operand(&in.Pred)
		p.values(in.Keep[:])
	}
	for _, v := range in.Out { // the mask records which lanes are written
		if v != nil {
			p.value(v)
		}
	}
	if plain {
		return
	}
	p.mixWord(in.Base.packWord() | uint64(in.Res.Unit)<<32 | uint64(in.Res.Dim)<<40 | uint64(in.Res.Sampler)<<48)
	p.mixWord(uint64(uint8(in.Res.Offset[0])) | uint64(uint8(in.Res.Offset[1]))<<8 | uint64(uint8(in.Res.Offset[2]))<<16 | boolBit(in.Res.Unnorm)<<24)
	p.values(in.Args)
	p.values(in.Results)
	for _, r := range in.Sub {
		p.region(r)
	}
}
