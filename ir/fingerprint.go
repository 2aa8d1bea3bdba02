package ir

import "math/bits"

// Fingerprint tells functions apart that emission may write differently: beyond what
// [Func.Hash] sees also how values are numbered, where they live and what statement an
// instruction came from, and the varyings that it is told of. Functions with the same
// fingerprint, of one program and under one dialect, are the same to emission, so
// prices are remembered by it.
//
// It is 128 bits wide and not cryptographic. If it were random, two of a million
// versions of a program would meet with probability 10^12/2^129, less than 2 in 10^27.
func (f *Func) Fingerprint(varyings ...Varying) [2]uint64 {
	p := newPrinter()
	p.region(f.Body)
	for _, o := range f.Outs {
		p.word(o.Reg.word())
		p.value(o.V)
	}
	p.word(uint64(f.nextID))
	for _, v := range varyings {
		p.word(v.Out.word()<<32 | v.In.word())
		p.word(uint64(v.Semantic))
	}
	return [2]uint64{p.a, p.b}
}

// printer128 mixes words into two sums, each by a multiplication of 64 by 64 bits whose
// halves are folded, the round of wyhash, whose constants these are. The sums feed each
// other, so that the pair is more than two hashes of 64 bits.
type printer128 struct{ a, b uint64 }

func newPrinter() printer128 { return printer128{a: 0x9e3779b97f4a7c15, b: 0xd1b54a32d192ed03} }

func (p *printer128) word(x uint64) {
	hi, lo := bits.Mul64(p.a^x, 0xa0761d6478bd642f)
	p.a = hi ^ lo ^ p.b
	hi, lo = bits.Mul64(p.b^x, 0xe7037ed1a0b428db)
	p.b = hi ^ lo + p.a
}

func (p *printer128) value(v *Value) {
	if v == nil {
		p.word(1 << 63)
		return
	}
	p.word(uint64(v.ID)<<32 | v.Home.word())
	if v.IsLeaf() {
		p.word(uint64(v.Kind)<<32 | uint64(v.Bits))
	}
}

func (p *printer128) values(vs []*Value) {
	p.word(uint64(len(vs)))
	for _, v := range vs {
		p.value(v)
	}
}

// operand mixes an operand into as few words as it can, as it is most of the work. The
// first word has a head, then the ID of the first lane that is set: bits 0 to 3 of the
// head are the lanes that are set, 4 to 7 which of them are leaves, from 8 on four bits
// of modifiers a lane, from 24 on three bits of kind a lane. Leaves add what they are;
// what instructions compute is mixed in where it is defined.
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
		ids[n] = uint64(v.ID)
		n++
	}
	p.word(head<<28 ^ ids[0])
	if n > 1 {
		p.word(ids[1]<<32 | ids[2])
	}
	if n > 3 {
		p.word(ids[3])
	}
	for i := range o {
		if v := o[i].V; head>>(4+i)&1 != 0 {
			p.word(uint64(v.Bits)<<32 | v.Home.word())
		}
	}
}

func (p *printer128) region(r *Region) {
	p.word(uint64(len(r.Code)))
	p.values(r.Params)
	p.value(r.Index)
	for _, in := range r.Code {
		p.instr(in)
	}
	p.values(r.Results)
}

// bit is 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// instr mixes in an instruction. plain ones, which nearly all are, have no resource, no
// base, no states and no regions, and say so in a bit, so that the short form cannot be
// taken for the start of a long one.
func (p *printer128) instr(in *Instr) {
	plain := in.Base == (Reg{}) && in.Res == (Resource{}) && len(in.Sub)+len(in.Args)+len(in.Results) == 0
	p.word(uint64(in.Op) | uint64(in.Mods)<<16 | uint64(in.Cond)<<24 | uint64(in.Mask())<<32 | bit(in.Precise)<<40 | bit(plain)<<41 |
		bit(in.IsPredicated())<<42 | uint64(len(in.Src))<<48 | uint64(len(in.Sub))<<56)
	p.word(uint64(uint32(in.Orig)) | uint64(in.Imm)<<32)
	for s := range in.Src {
		p.operand(&in.Src[s])
	}
	if in.IsPredicated() {
		p.operand(&in.Pred)
		p.values(in.Keep[:])
	}
	for _, v := range in.Out { // the mask tells which there are
		if v != nil {
			p.value(v)
		}
	}
	if plain {
		return
	}
	p.word(in.Base.word() | uint64(in.Res.Unit)<<32 | uint64(in.Res.Dim)<<40 | uint64(in.Res.Sampler)<<48)
	p.word(uint64(uint8(in.Res.Offset[0])) | uint64(uint8(in.Res.Offset[1]))<<8 | uint64(uint8(in.Res.Offset[2]))<<16 | bit(in.Res.Unnorm)<<24)
	p.values(in.Args)
	p.values(in.Results)
	for _, r := range in.Sub {
		p.region(r)
	}
}
