package kernel_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A second evaluator of kernels, independent of the first. It executes one invocation after the other, one
// component at a time, without package il and without a table. It was written from the language's
// description alone, for the part that the kernels of the corpus use, and is as plain as possible. Where
// the two agree bit for bit, a mistake must have been made twice.

// plainKernel is a parsed kernel.
type plainKernel struct {
	compute bool
	group   int
	main    []*plainStmt
	funcs   map[string][]*plainStmt
	lits    map[string][4]uint32
	unnorm  map[string]bool // resources
	flat    map[string]bool // resources of one dimension
	unknown string          // the first construct that is not understood
}

// plainStmt is one statement, with its nested statements.
type plainStmt struct {
	text  string
	op    string            // without controls and modifiers
	ctl   map[string]string // controls: values in parentheses, by their preceding word
	sat   bool
	dst   plainOperand
	src   []plainOperand
	then  []*plainStmt // of if, loop, a case
	els   []*plainStmt
	cases []*plainStmt // of switch: case, with its value as source, or default
}

// plainOperand is a register, the components to read or write, and modifiers.
type plainOperand struct {
	reg       string // r1, cb0, g, mem
	indexed   bool
	index     *plainOperand // nil: a number alone
	offset    int
	comps     string // after the dot, "" for none
	neg       string // components negated
	abs       bool
	immediate bool
}

var (
	plainNeg = regexp.MustCompile(`_neg(\(([xyzw]+)\))?$`)
)

// parsePlain parses a kernel.
func parsePlain(text string) *plainKernel {
	k := &plainKernel{group: 64, funcs: map[string][]*plainStmt{}, lits: map[string][4]uint32{},
		unnorm: map[string]bool{}, flat: map[string]bool{}}
	var lines []*plainStmt
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, ";")
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "dx11_") {
			continue
		}
		if s := k.statement(line); s != nil {
			lines = append(lines, s)
		}
	}
	p := &plainBlocks{k: k, lines: lines}
	k.main = p.block("endmain", "end", "func")
	for p.last != "end" && p.at < len(p.lines) {
		if p.last == "func" {
			name := p.lines[p.at-1].dst.reg
			k.funcs[name] = p.block("endfunc")
		}
		p.block("func", "end")
	}
	return k
}

// plainBlocks nests statements.
type plainBlocks struct {
	k     *plainKernel
	lines []*plainStmt
	at    int
	last  string // the statement that ended the block
}

func (p *plainBlocks) block(ends ...string) (list []*plainStmt) {
	for p.at < len(p.lines) {
		s := p.lines[p.at]
		p.at++
		for _, e := range ends {
			if s.op == e {
				p.last = e
				return list
			}
		}
		switch s.op {
		case "if_logicalnz", "if_logicalz":
			s.then = p.block("else", "endif")
			if p.last == "else" {
				s.els = p.block("endif")
			}
		case "whileloop":
			s.then = p.block("endloop")
		case "switch":
			p.block("case", "default")
			for p.last != "endswitch" {
				c := &plainStmt{op: p.last}
				if p.last == "case" {
					c.src = []plainOperand{p.lines[p.at-1].dst}
				}
				c.then = p.block("case", "default", "endswitch")
				s.cases = append(s.cases, c)
			}
		}
		list = append(list, s)
	}
	return list
}

// statement parses one line; it returns nil for declarations.
func (k *plainKernel) statement(line string) *plainStmt {
	name, rest := line, ""
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		name, rest = line[:i], strings.TrimSpace(line[i:])
	}
	s := &plainStmt{text: line, ctl: map[string]string{}}
	for strings.Contains(name, "(") { // sample_resource(0)_sampler(1)
		i, j := strings.Index(name, "("), strings.Index(name, ")")
		if j < 0 {
			k.unknown = line
			return nil
		}
		head := name[:i]
		key := head[strings.LastIndex(head, "_")+1:]
		s.ctl[key] = name[i+1 : j]
		name = strings.TrimSuffix(head[:len(head)-len(key)], "_") + name[j+1:]
	}
	if cut, ok := strings.CutSuffix(name, "_sat"); ok {
		name, s.sat = cut, true
	}
	s.op = name
	switch {
	case strings.HasPrefix(name, "il_"):
		k.compute = strings.HasPrefix(name, "il_cs")
		return nil
	case strings.HasPrefix(name, "dcl_"):
		k.declare(name, s.ctl, rest)
		return nil
	}
	for i, text := range strings.Split(rest, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		o, ok := plainOperandOf(text)
		if !ok {
			k.unknown = line
		}
		if i == 0 {
			s.dst = o
		} else {
			s.src = append(s.src, o)
		}
	}
	return s
}

func (k *plainKernel) declare(name string, ctl map[string]string, rest string) {
	words := strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	switch name {
	case "dcl_literal":
		var v [4]uint32
		for i := range v {
			v[i] = plainLiteral(words[1+i])
		}
		k.lits[words[0]] = v
	case "dcl_num_thread_per_group", "dcl_num_thread_per_blk", "dcl_max_thread_per_group":
		k.group, _ = strconv.Atoi(words[0])
	}
	if kind, ok := ctl["type"]; ok && ctl["id"] != "" {
		k.unnorm[ctl["id"]] = strings.Contains(kind, "unnorm")
		k.flat[ctl["id"]] = strings.HasPrefix(kind, "1d")
	}
}

// plainLiteral returns the word of a literal: floats have a point or an exponent.
func plainLiteral(text string) uint32 {
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		n, _ := strconv.ParseUint(text[2:], 16, 64)
		return uint32(n)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return uint32(n)
	}
	f, _ := strconv.ParseFloat(strings.TrimSuffix(text, "f"), 32)
	return plainBits(float32(f))
}

// plainOperandOf parses r1.xy_neg(x), cb0[r1.x + 2], g[5], 12.
func plainOperandOf(text string) (o plainOperand, ok bool) {
	if _, err := strconv.Atoi(text); err == nil {
		return plainOperand{reg: text, immediate: true}, true
	}
	for {
		if m := plainNeg.FindStringSubmatchIndex(text); m != nil {
			o.neg = "xyzw"
			if m[4] >= 0 {
				o.neg = text[m[4]:m[5]]
			}
			text = text[:m[0]]
		} else if cut, found := strings.CutSuffix(text, "_abs"); found {
			o.abs, text = true, cut
		} else {
			break
		}
	}
	end := strings.LastIndex(text, "]")
	if dot := strings.LastIndex(text, "."); dot > end {
		o.comps, text = text[dot+1:], text[:dot]
	}
	if strings.Trim(o.comps, "xyzw01_") != "" {
		return o, false
	}
	o.reg = text
	if open := strings.Index(text, "["); open >= 0 && end > open {
		o.reg, o.indexed = text[:open], true
		for _, part := range strings.Split(text[open+1:end], "+") {
			part = strings.TrimSpace(part)
			if n, err := strconv.Atoi(part); err == nil {
				o.offset += n
				continue
			}
			x, ok := plainOperandOf(part)
			if !ok {
				return o, false
			}
			o.index = &x
		}
	}
	return o, o.reg != ""
}

// mask lists the source of each lane of a destination: a letter (its own), 0, 1, or _.
func (o *plainOperand) mask() [4]byte {
	m := [4]byte{'_', '_', '_', '_'}
	switch {
	case o.comps == "":
		return [4]byte{'x', 'y', 'z', 'w'}
	case len(o.comps) == 4:
		copy(m[:], o.comps)
		return m
	}
	// The short form: letters name their lanes, and constants take the adjacent positions.
	first := strings.IndexAny(o.comps, "xyzw")
	at := 0
	if first >= 0 {
		at = strings.IndexByte("xyzw", o.comps[first]) - first
	}
	for i := range o.comps {
		if j := strings.IndexByte("xyzw", o.comps[i]); j >= 0 {
			at = j
		}
		if at < 0 || at > 3 {
			panic(fmt.Sprintf("mask %q", o.comps))
		}
		m[at] = o.comps[i]
		at++
	}
	return m
}

// lane returns the selector for lane c, which is the k-th written lane.
func (o *plainOperand) lane(c, k int) byte {
	switch n := len(o.comps); n {
	case 0:
		return "xyzw"[c]
	case 1:
		return o.comps[0]
	case 4:
		return o.comps[c]
	default: // packed onto the written lanes
		return o.comps[min(k, n-1)]
	}
}

// place returns the selector at position c of a vector that is read as a whole.
func (o *plainOperand) place(c int) byte {
	if o.comps == "" {
		return "xyzw"[c]
	}
	return o.comps[min(c, len(o.comps)-1)]
}
