package opt

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/vsps"
)

// A partner is the vertex program with which a framework draws a lone pixel program. It never changes:
// the pixel program is optimized for the partner's outputs and verified together with it.

//go:embed partners/*.vsh
var partnerPrograms embed.FS

// Partners returns the names that Options.Host.Partner can have: the vertex programs of SpriteBatch, of effects of WPF,
// of a rectangle over the screen, and of ReShade.
func Partners() []string { return []string{spriteBatch, "wpf", "fullscreen", "reshade"} }

// spriteBatch is the partner whose colours are within 0..1. Its host draws programs of ps_3_0 with it; the hosts of the
// others have it for vs_3_0 too.
const spriteBatch = "spritebatch"

// partnerGiven is the name in reports of a user's partner.
const partnerGiven = "given"

// ParsePartner converts a vertex program in a file, text or bytecode, into a value of Options.Host.Partner.
// include opens the files that a text includes.
func ParsePartner(f File, include d3d9.Opener) (string, error) {
	p, err := input.ReadProgramWith(f, include)
	if err != nil {
		return "", err
	}
	if err := checkPartner(f.Name, p); err != nil {
		return "", err
	}
	text, err := input.DisassembleWith(f, include)
	return string(text), err
}

// checkPartner rejects a program that draws nothing, or that no device runs.
func checkPartner(file string, p *d3d9.Program) error {
	if p.Model.Stage != d3d9.Vertex {
		return asm.Errorf(asm.Pos{File: file, Line: 1, Col: 1}, "wrong-pair", "a partner must be a vertex program, not %s",
			p.Model)
	}
	wrong, large := pair.Validate(p)
	return append(wrong, large...).In(file).Err()
}

// partner returns the vertex program that o names or contains, or nil. A build without Direct3D 9
// cannot read programs, but still rejects values that are neither a name nor text.
func (o *Options) partner() (name string, p *d3d9.Program, err error) {
	if o.Host.Partner == "" {
		return "", nil, nil
	}
	name = o.Host.Partner
	var text string
	if slices.Contains(Partners(), name) {
		data, err := partnerPrograms.ReadFile("partners/" + name + ".vsh")
		if err != nil {
			return "", nil, err
		}
		text = string(data)
	} else {
		name, text = partnerGiven, o.Host.Partner
		if !d3d9.IsText([]byte(text)) {
			return "", nil, asm.Errorf(asm.Pos{File: "<options>"}, "unknown-partner",
				"unknown partner %q (want %s or a vertex program)", clipped(text), strings.Join(Partners(), ", "))
		}
	}
	if !asm.BuiltD3D9 {
		return "", nil, nil
	}
	if p, err = d3d9.Parse("<partner>", []byte(text)); err != nil {
		return "", nil, err
	}
	if err := checkPartner("<partner>", p); err != nil {
		return "", nil, err
	}
	return name, p, nil
}

func clipped(s string) string { return s[:min(len(s), 40)] }

// withPartner adds the partner to a lone pixel program that can be linked with it. The pixel program
// may be of 3.0 and the partner older: MojoShader draws such pairs, as FNA's effects require, though
// Direct3D does not. Its input colours are then within 0..1 if that is promised. The tint of a sprite
// batch has four bytes, so it always is.
func (o *Options) withPartner(programs []*d3d9.Program) (name string, drawn []*d3d9.Program) {
	if len(programs) != 1 || programs[0].Model.Stage != d3d9.Pixel {
		return "", programs
	}
	name, v, err := o.partner()
	if v == nil || err != nil {
		return "", programs
	}
	if _, err := vsps.Link(v, programs[0]); err != nil {
		return "", programs
	}
	if pair.ReadsColours(programs[0]) && (name == spriteBatch || slices.Contains(o.Host.Assume, input.UnitColours)) {
		v = pair.WithinUnit(v)
	}
	return name, []*d3d9.Program{v, programs[0]}
}

// notePartner records in res the partner of the programs.
func (o *job) notePartner(res *Result, programs []*d3d9.Program) {
	name, pair := o.withPartner(programs)
	switch {
	case name != "":
		res.Partner = name
		remarkLinks(res, pair)
		if name != spriteBatch && name != partnerGiven {
			res.Remarks = slices.DeleteFunc(res.Remarks, func(m Remark) bool { return m.Code == "mixed-models" })
		}
	case o.Host.Partner != "" && len(programs) == 1 && programs[0].Model.Stage == d3d9.Pixel:
		res.remark(asm.Pos{}, "partner-apart",
			fmt.Sprintf("the partner cannot be linked with this program of %s, which is optimized alone", programs[0].Model))
	}
}

// bothAmong pairs two versions of a pixel program with the same partner, for verification. If only one
// can be linked with it, both are compared alone.
func (o *Options) bothAmong(before, after []*d3d9.Program) (old, now []*d3d9.Program) {
	_, old = o.withPartner(before)
	_, now = o.withPartner(after)
	if len(old) != len(now) {
		old, now = before, after
	}
	return o.asDrawn(old), o.asDrawn(now)
}

// introduce drops the partner for effects in which some pass sets a vertex program. Pixel programs
// without a vertex program may be drawn with that one, so their vertex program is unknown. The partner
// is kept if no pass sets a vertex program.
func (o *job) introduce(e *effect.Effect, res *Result) {
	own := func(p [2]fx.Source) bool { return p[d3d9.Vertex] != fx.Inherited }
	for _, passes := range e.FX.Sources() {
		if o.Host.Partner != "" && slices.ContainsFunc(passes, own) {
			o.Host.Partner = ""
			res.remark(asm.Pos{}, "partner-apart",
				"a pass sets a vertex program, so pixel programs without one are optimized alone")
		}
	}
}
