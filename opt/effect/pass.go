package effect

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/opt/input"
)

// FileName returns the name of the file that e was read from.
func (e *Effect) FileName() string { return e.file.Name }

// Passes returns the names of the passes of e, TECHNIQUE/PASS. A number stands for an empty name.
func (e *Effect) Passes() (names []string) {
	for t := range e.FX.Techniques {
		for p := range e.FX.Techniques[t].Passes {
			names = append(names, e.label(&fx.Shader{Technique: t, Pass: p}))
		}
	}
	return names
}

// Draws returns the programs that a pass draws with, as programs or pairs. Name is TECHNIQUE/PASS, by names or by
// numbers from 0. There may be several draws if an index chooses programs from arrays; [N] after the name selects
// the draw N, from 0. After .vs or .ps there is only the program of this stage. The label of a program in an array,
// such as Programs[2], is also a name.
func (e *Effect) Draws(name string) ([]input.Input, error) {
	pass, stage := name, -1
	for i, suffix := range stageSuffixes {
		if before, found := strings.CutSuffix(pass, suffix); found {
			pass, stage = before, i
		}
	}
	shaders := e.FX.Shaders()
	at, found := e.passesNamed(pass)
	number := -1
	if m := numbered.FindStringSubmatch(pass); !found && m != nil {
		if at, found = e.passesNamed(m[1]); found {
			pass = m[1]
			number, _ = strconv.Atoi(m[2])
		}
	}
	switch {
	case !found:
		for i := range shaders {
			if s := &shaders[i]; !s.InPass() && e.label(s) == pass && (stage < 0 || stage == int(s.Stage)) {
				return []input.Input{e.programs(shaders[i : i+1])}, nil
			}
		}
		return nil, e.unknownPass("no pass is named " + asm.Shown(name))
	case len(at) > 1:
		return nil, e.passError("several passes are named %s; give the numbers of technique and pass from 0, such as %d/%d",
			asm.Shown(pass), at[0][0], at[0][1])
	}
	draws, known := e.drawsOf(shaders, at[0], stage)
	switch {
	case len(draws) == 0 && known:
		return nil, e.passError("%s has no programs, only states; stats lists the programs of the effect", asm.Shown(name))
	case len(draws) == 0:
		return nil, e.passError("the application sets the programs of %s; name a program instead, such as %s",
			asm.Shown(name), e.someProgram(shaders))
	case number >= len(draws):
		return nil, e.passError("the draws of %s are [0] to [%d]", asm.Shown(pass), len(draws)-1)
	case number >= 0:
		return draws[number : number+1], nil
	}
	return draws, nil
}

var (
	stageSuffixes = [...]string{d3d9.Vertex: ".vs", d3d9.Pixel: ".ps"}
	numbered      = regexp.MustCompile(`^(.*)\[([0-9]{1,6})\]$`)
)

// Draw returns the only draw of a pass, of the only pass if name is empty.
func (e *Effect) Draw(name string) (in input.Input, err error) {
	if name == "" {
		if all := e.Passes(); len(all) != 1 {
			return in, e.unknownPass(fmt.Sprintf("the effect has %d passes; select one with --pass", len(all)))
		}
		name = "0/0"
	}
	draws, err := e.Draws(name)
	if err == nil && len(draws) > 1 {
		err = e.passError("an index chooses the programs of %s; append [0] to [%d] to its name", asm.Shown(name), len(draws)-1)
	}
	if err != nil {
		return in, err
	}
	return draws[0], nil
}

// passesNamed returns the technique and the pass of each pass with this name. Names precede numbers.
func (e *Effect) passesNamed(name string) (at [][2]int, found bool) {
	for _, byNumber := range []bool{false, true} {
		for t := range e.FX.Techniques {
			technique := &e.FX.Techniques[t]
			for p := range technique.Passes {
				label := nameOr(technique.Name.Text, t) + "/" + nameOr(technique.Passes[p].Name.Text, p)
				if !byNumber && label == name || byNumber && numbersOf(name, technique.Name.Text, technique.Passes[p].Name.Text, t, p) {
					at = append(at, [2]int{t, p})
				}
			}
		}
		if len(at) > 0 {
			return at, true
		}
	}
	return nil, false
}

// numbersOf reports whether name is a technique and a pass of which at least one is a number.
func numbersOf(name, technique, pass string, t, p int) bool {
	return slices.Contains([]string{fmt.Sprintf("%d/%d", t, p), fmt.Sprintf("%s/%d", technique, p),
		fmt.Sprintf("%d/%s", t, pass)}, name)
}

// drawsOf returns the draws of a pass, or its own programs if the others are unknown. With a stage it returns the
// distinct programs of this stage. known is set if there are no others.
func (e *Effect) drawsOf(shaders []fx.Shader, at [2]int, stage int) (list []input.Input, known bool) {
	var draws []fx.Draw
	e.eachPass(shaders, func(t, p int, of []fx.Draw, ok bool) bool {
		draws, known = of, ok
		return at != [2]int{t, p}
	})
	seen := map[string]bool{}
	for _, d := range draws {
		var of []fx.Shader
		for s, i := range d.Shaders {
			if i != fx.NoShader && (stage < 0 || stage == s) {
				of = append(of, shaders[i])
			}
		}
		if in := e.programs(of); len(of) > 0 && !seen[in.Path()] {
			seen[in.Path()] = true
			list = append(list, in)
		}
	}
	return list, known
}

// eachPass calls visit with the draws of each pass. If they are unknown, there is one with the programs of the pass.
func (e *Effect) eachPass(shaders []fx.Shader, visit func(t, p int, draws []fx.Draw, known bool) bool) {
	own := map[[2]int]fx.Draw{}
	for i := range shaders {
		if s := &shaders[i]; s.InPass() {
			at := [2]int{s.Technique, s.Pass}
			d, found := own[at]
			if !found {
				d.Shaders = [2]int{fx.NoShader, fx.NoShader}
			}
			d.Shaders[s.Stage] = i
			own[at] = d
		}
	}
	e.FX.EachPass(shaders, func(t, p int, draws []fx.Draw, known bool) bool {
		if d, found := own[[2]int{t, p}]; !known {
			if draws = nil; found {
				draws = []fx.Draw{d}
			}
		}
		return visit(t, p, draws, known)
	})
}

// Member is a program of a pass: its part, and its number in the part.
type Member struct{ Part, Number int }

// PassMembers returns the programs that each pass may draw with, each once.
func (e *Effect) PassMembers() (list [][]Member) {
	at := map[*[]byte]Member{}
	for i := range e.Parts {
		for k := range e.Parts[i].Shaders {
			at[e.Parts[i].Shaders[k].Data] = Member{i, k}
		}
	}
	shaders := e.FX.Shaders()
	e.eachPass(shaders, func(_, _ int, draws []fx.Draw, _ bool) bool {
		var members []Member
		seen := map[int]bool{fx.NoShader: true}
		for _, d := range draws {
			for _, s := range d.Shaders {
				if !seen[s] {
					seen[s] = true
					members = append(members, at[shaders[s].Data])
				}
			}
		}
		list = append(list, members)
		return true
	})
	return list
}

// programs returns shaders as an input.
func (e *Effect) programs(shaders []fx.Shader) input.Input {
	of := Effect{file: e.file, FX: e.FX}
	of.addShaderUnit(shaders)
	return of.Parts[0].In
}

// someProgram returns the name of a program in a parameter.
func (e *Effect) someProgram(shaders []fx.Shader) string {
	for i := range shaders {
		if !shaders[i].InPass() {
			return asm.Shown(e.label(&shaders[i]))
		}
	}
	return "one of another pass"
}

// maxNames bounds the names of passes in a message.
const maxNames = 12

// unknownPass returns an error that lists the passes after text.
func (e *Effect) unknownPass(text string) error {
	names := e.Passes()
	for i, name := range names[:min(len(names), maxNames)] {
		text += between(i, "; its passes are ", ", ") + asm.Shown(name)
	}
	if n := len(names) - maxNames; n > 0 {
		text += fmt.Sprintf(" and %d more (shaderlift dis lists them)", n)
	}
	return e.passError("%s", text)
}

func (e *Effect) passError(format string, args ...any) error {
	return asm.Errorf(asm.Pos{File: e.file.Name}, "effect-pass", format, args...)
}

// between returns first before the first element, and between before all others.
func between(i int, first, between string) string {
	if i == 0 {
		return first
	}
	return between
}
