package main

import (
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/spf13/cobra"
)

func (a *app) asm() *cobra.Command {
	return a.converter(&cobra.Command{
		Use:   "asm IN -o OUT",
		Short: "assemble text to bytecode",
		Long: `Asm writes a program as bytecode. A program that breaks the rules of its shader
model is refused; one that only exceeds its limits too, with exit status 2.`,
		Example: `  shaderlift asm glow.psh -o glow.pso`,
	}, shaderlift.AssembleWith)
}

func (a *app) dis() *cobra.Command {
	return a.converter(&cobra.Command{
		Use:   "dis IN",
		Short: "disassemble bytecode to text",
		Long: `Dis writes a program as assembly text, which asm turns into the same bytecode again.
The constant table is told in comments.`,
		Example: `  shaderlift dis glow.pso`,
	}, shaderlift.DisassembleWith)
}

// converter completes a command that writes a program in another form.
func (a *app) converter(cmd *cobra.Command, convert func(shaderlift.File, d3d9.Opener) ([]byte, error)) *cobra.Command {
	var to string
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		j := program(args[0])
		a.paths.job(&j)
		in, err := a.load(&j)
		if err != nil {
			return err
		}
		data, err := convert(in.Files[0], in.Include)
		if err == nil && to != "" { // it is known now what the program includes
			if err := a.paths.writes(to, "the program"); err != nil {
				return err
			}
		}
		switch {
		case err != nil:
			return err
		case to == "" && shaderlift.Recognize(data) == shaderlift.Bytecode:
			return usagef("%s: bytecode is not written to standard output: give -o", args[0])
		case to == "":
			to = stdinName
		}
		return a.write(to, data)
	}
	cmd.Flags().StringVarP(&to, "output", "o", "", "write to this `FILE`, - for standard output")
	return cmd
}
