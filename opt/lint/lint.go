// Package lint lists the statements of programs that a client refuses or computes wrongly. A client is a library that
// reads Direct3D 9 programs: MojoShader, D3DX, d3d8to9 or Wine.
package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/naming"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/input"
)

// Finding is a place where an input breaks a rule of a client.
type Finding struct {
	Client string
	asm.Diag
	// Repair is what to do. Source is where the rule is from.
	Repair, Source string
}

// Error returns the message with its place, the code and the repair.
func (f *Finding) Error() string {
	return fmt.Sprintf("%s: %s; %s [%s]", f.Pos, f.Msg, f.Repair, f.Code)
}

// Clients returns the names of the clients.
func Clients() (names []string) {
	for _, r := range rules() {
		if !slices.Contains(names, r.client) {
			names = append(names, r.client)
		}
	}
	return names
}

// Check returns the findings of a client in an input: a program, a pair or an effect. The error is a diagnostic of an
// input that cannot be read, or of an unknown client.
func Check(in input.Input, client string) (list []Finding, err error) {
	if names := Clients(); !slices.Contains(names, client) {
		near := naming.NearestWord(client, names)
		if near != "" {
			near = "; did you mean " + near + "?"
		}
		return nil, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-client", "unknown client %q (want %s)%s", client,
			strings.Join(names, ", "), near)
	}
	c := &checker{client: client}
	if len(in.Files) == 0 {
		return nil, nil
	}
	switch in.Kind() {
	case input.KindKernel:
		return nil, asm.Errorf(asm.Pos{File: in.Files[0].Name}, "wrong-client", "%s reads no kernels of AMD IL", client)
	case input.KindEffect:
		err = c.effect(in.Files[0])
	default:
		var programs []*d3d9.Program
		programs, err = input.ReadPrograms(in)
		for i, p := range programs {
			c.program(in.Files[i].Name, p)
		}
	}
	return c.list, err
}

// checker collects the findings in one input.
type checker struct {
	client string
	file   string // of the program
	row    *rule
	list   []Finding
}

// found adds a finding of the current rule. A code or repair of the finding replaces the rule's.
func (c *checker) found(pos asm.Pos, code asm.Code, repair, format string, args ...any) {
	if pos.File == "" || !pos.IsValid() {
		pos.File = c.file
	}
	c.list = append(c.list, Finding{Client: c.client, Source: c.row.source, Repair: cmp.Or(repair, c.row.repair),
		Diag: asm.Diag{Pos: pos, Code: cmp.Or(code, c.row.code), Msg: fmt.Sprintf(format, args...)}})
}

// program checks the rules for programs, in the order of the statements.
func (c *checker) program(file string, p *d3d9.Program) {
	first := len(c.list)
	c.file = file
	for _, r := range rules() {
		if c.row = &r; c.row.client == c.client && c.row.program != nil {
			c.row.program(c, p)
		}
	}
	slices.SortStableFunc(c.list[first:], func(a, b Finding) int {
		return cmp.Or(a.Pos.Line-b.Pos.Line, a.Pos.Offset-b.Pos.Offset)
	})
}

// effect checks the rules for effects, then those for each program and its preshader.
func (c *checker) effect(f input.File) error {
	e, err := effect.Read(f)
	if err != nil {
		return err
	}
	c.file = f.Name
	for _, r := range rules() {
		if c.row = &r; c.row.client == c.client && c.row.effect != nil {
			c.row.effect(c, e.FX)
		}
	}
	for _, part := range e.Parts {
		for _, file := range part.In.Files {
			p, err := input.ReadProgram(file)
			if err != nil {
				return err
			}
			c.program(file.Name, p)
			c.shader(e.FX, p)
		}
	}
	return nil
}

// shader checks the rules for programs of effects.
func (c *checker) shader(e *fx.Effect, p *d3d9.Program) {
	q, err := preshader.FromProgram(p)
	for _, r := range rules() {
		c.row = &r
		if c.row.client != c.client {
			continue
		}
		if c.row.shader != nil {
			c.row.shader(c, e, p)
		}
		if c.row.preshader != nil && q != nil && err == nil {
			c.row.preshader(c, q)
		}
	}
}
