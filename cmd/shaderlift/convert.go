package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/wording"
	"github.com/spf13/cobra"
)

func (a *app) asm() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "asm IN",
		Short: "assemble text to bytecode",
		Long: `Asm writes a program as bytecode to standard output, or to the file of -o. It never
writes bytecode to a terminal. A program that breaks the rules of its shader model is
rejected. A program that only exceeds a limit is rejected too, with exit status 2. The
text of a SPIR-V module, in the syntax of spirv-as, becomes a binary module.

Some published programs break rules that the runtime does not check, such as a read of a
register before it is written. Asm prints a warning for each. With --strict it rejects such
a program if the assembler of Direct3D (D3DX) rejects it.`,
		Example: `  shaderlift asm glow.psh -o glow.pso
  shaderlift asm lit.spvasm -o lit.spv`,
	}
	strict := cmd.Flags().Bool("strict", false,
		"reject each program that the assembler of Direct3D rejects, such as one that reads a register before it is written")
	return a.converter(cmd, func(f shaderlift.File, include d3d9.Opener) ([]byte, error) {
		data, warnings, err := input.AssembleWith(f, include)
		if refused := slices.DeleteFunc(slices.Clone(warnings),
			func(d *asm.Diag) bool { return !d3d9.AssemblerRefuses(d.Code) }); *strict && err == nil {
			err = refused.Err()
		}
		if err == nil {
			printWarnings(a.err, warnings)
		}
		return data, err
	})
}

// maxWarnings is the number of warnings that are printed for an input.
const maxWarnings = 5

// printWarnings writes a line for each diagnostic of an accepted program.
func printWarnings(w io.Writer, warnings asm.Diags) {
	for i, d := range warnings {
		if i == maxWarnings {
			n := len(warnings) - i
			fmt.Fprintf(w, "%s: warning: %d more %s\n", asm.Shown(d.Pos.File), n, wording.Plural("warning", n))
			return
		}
		fmt.Fprintf(w, "%s: warning: %s [%s]\n", d.Pos, d.Msg, d.Code)
	}
}

func (a *app) dis() *cobra.Command {
	var pass string
	cmd := a.converter(&cobra.Command{
		Use:   "dis IN",
		Short: "disassemble bytecode, an effect or a SPIR-V module to text",
		Long: `Dis writes a program as assembly text. Asm assembles the text to the same bytecode.
The constant table is written as comments. A SPIR-V module becomes the text of spirv-dis.
Comments at its end state the numbers of ids, so that asm makes the same module.

Of a compiled effect, dis writes the parameters, techniques and passes, and all programs. With
--pass it writes the programs of this pass. Asm accepts the text of one of them.`,
		Example: `  shaderlift dis glow.pso
  shaderlift dis water.fxb
  shaderlift dis --pass Main/P0.ps -o water.psh water.fxb`,
	}, func(f shaderlift.File, include d3d9.Opener) ([]byte, error) { return opt.Disassemble(f, pass, include) })
	addPass(cmd.Flags(), &pass)
	return cmd
}

// converter adds the implementation of a command that writes a program in another form.
func (a *app) converter(cmd *cobra.Command, convert func(shaderlift.File, d3d9.Opener) ([]byte, error)) *cobra.Command {
	var to string
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var files []shaderlift.File
		var err error
		a.unpack(program(args[0]), func(j job) bool {
			a.paths.recordJob(&j)
			var in shaderlift.Input
			in, err = a.loadFiles(&j)
			files = append(files, in.Files...)
			return err == nil
		})
		if err != nil {
			return err
		}
		data, err := a.convertAll(files, convert)
		if err == nil && to != "" { // included files are known now
			if err := a.paths.writes(to, "the program"); err != nil {
				return err
			}
		}
		if err == nil {
			err = refuseBytes(args[0], shaderlift.Recognize(data), to, a.out)
		}
		if err != nil {
			return err
		}
		return a.write(cmp.Or(to, stdinName), data)
	}
	a.addInclude(cmd.Flags())
	a.addCompile(cmd.Flags())
	cmd.Flags().StringVarP(&to, "output", "o", "", "write to this `FILE` (- for standard output)")
	return cmd
}
