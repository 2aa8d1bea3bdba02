package il

import "strconv"

// Format returns one statement in canonical form: masks with four places, literals as bit patterns,
// no spelling from an input.
func Format(in *Inst) string { return string(Append(nil, in)) }

// Append appends the result of [Format] to b. The form of the op determines the order of the
// operands; missing optional operands are omitted.
func Append(b []byte, in *Inst) []byte {
	b = appendMnemonic(b, in)
	separator := " "
	operand := func() {
		b = append(b, separator...)
		separator = ", "
	}
	src, imm := 0, 0
	for _, letter := range []byte(opTable[in.Op].form) {
		switch letter {
		case 'd', 'm', 'M', 'D', 'R', 'A':
			if !in.HasDst {
				// Only the mem of a store may be missing.
				continue
			}
			operand()
			if letter == 'A' {
				b = appendDeclared(b, in)
				imm++
			} else {
				b = appendDst(b, &in.Dst)
			}
		case 's', 'v', '1', 'O':
			if src < int(in.NSrc) {
				operand()
				b = appendSrc(b, &in.Src[src])
				src++
			}
		default:
			if imm < int(in.NImm) {
				operand()
				b = appendImm(b, in.Imm[imm], letter)
				imm++
			}
		}
	}
	return b
}

// appendMnemonic appends the op with its controls in canonical order. If a control has its default
// value, the underscore before it is removed again.
func appendMnemonic(b []byte, in *Inst) []byte {
	info := &opTable[in.Op]
	// A family of atomic operations: uav_% is uav_add and so on.
	if name := in.Op.String(); name[len(name)-1] == '%' {
		b = append(append(b, name[:len(name)-1]...), in.Ctl.Atomic.String()...)
	} else {
		b = append(b, name...)
	}
	for c, i := info.need|info.may, 0; c != 0; c, i = c>>1, i+1 {
		if c&1 == 0 {
			continue
		}
		n := len(b)
		b = controlTable[i].text(append(b, '_'), in)
		if len(b) == n+1 {
			b = b[:n]
		}
	}
	return b
}

// appendDeclared appends an array with its size: cb0[4].
func appendDeclared(b []byte, in *Inst) []byte {
	b = append(appendReg(b, in.Dst.Reg), '[')
	return append(strconv.AppendUint(b, uint64(in.Imm[0]), 10), ']')
}

// appendDst appends a destination. It omits a mask that computes all lanes; other masks have four
// places: .x__1.
func appendDst(b []byte, d *Dst) []byte {
	b = appendAddr(appendReg(b, d.Reg), d.File, d.Addr)
	if d.Mask == MaskAll && d.File != Memory { // mem always has a mask
		return b
	}
	b = append(b, '.')
	for i := range 4 {
		switch d.Mask.WriteAt(i) {
		case Keep:
			b = append(b, '_')
		case Result:
			b = append(b, selNames[i])
		case Zero:
			b = append(b, '0')
		case One:
			b = append(b, '1')
		}
	}
	return b
}

// appendSrc appends a source with its modifiers in the order in which they apply, except _neg,
// which compilers write first.
func appendSrc(b []byte, s *Src) []byte {
	b = appendAddr(appendReg(b, s.Reg), s.File, s.Addr)
	for k := range s.Swz.Len() {
		if k == 0 {
			b = append(b, '.')
		}
		b = append(b, selNames[s.Swz.SelectionAt(k)])
	}
	if s.Neg != 0 {
		b = append(appendLanes(append(b, "_neg("...), s.Neg), ')')
	}
	// _bx2 is the usual name for both.
	mods := s.Mods
	if mods&(Bias|X2) == Bias|X2 {
		mods &^= Bias | X2
		b = append(b, "_bx2"...)
	}
	for i, name := range srcModNames {
		if mods>>i&1 != 0 {
			b = append(append(b, '_'), name...)
		}
	}
	if s.Div != NoDivComp {
		b = appendArg(b, "_divComp", divNames[s.Div])
	}
	return b
}

// appendAddr appends the index of an array.
func appendAddr(b []byte, f File, a Addr) []byte {
	if !f.IsArray() {
		return b
	}
	b = append(b, '[')
	if a.Rel != nil {
		b = appendSrc(b, a.Rel)
		if a.Offset == 0 {
			return append(b, ']')
		}
		b = append(b, '+')
	}
	return append(strconv.AppendUint(b, uint64(a.Offset), 10), ']')
}

// appendImm appends a number in the format of a form letter.
func appendImm(b []byte, w uint32, letter byte) []byte {
	switch letter {
	case 'L':
		const digits = "0123456789ABCDEF"
		b = append(b, "0x"...)
		for shift := 28; shift >= 0; shift -= 4 {
			b = append(b, digits[w>>shift&0xf])
		}
		return b
	case 'i':
		return strconv.AppendInt(b, int64(int32(w)), 10)
	case 'F':
		n := len(b)
		for i, name := range flagNames {
			if w>>i&1 != 0 {
				if len(b) > n {
					b = append(b, '|')
				}
				b = append(b, name...)
			}
		}
		return b
	case 'W':
		return append(b, sharingNames[w]...)
	}
	return strconv.AppendUint(b, uint64(w), 10)
}
