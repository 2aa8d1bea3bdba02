// Command typecheck checks the types of packages for other systems, without compiling anything:
//
//	go run -C bench ./typecheck GOOS/GOARCH... -- PACKAGE...
//
// It checks the packages and those of this module that they import. It reads all packages from source, which takes
// three CPU seconds for a system; compiling them takes 30. It also reports functions without a body in packages
// without assembly. All assembly is for amd64, so the compiler and the linker find nothing else that they do not find
// for linux/amd64.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/bench/internal/root"
	"golang.org/x/tools/go/packages"
)

func main() {
	err := root.Enter()
	if err == nil {
		err = run(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "typecheck:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	end := slices.Index(args, "--")
	if end <= 0 || end == len(args)-1 {
		return errors.New("want systems, --, and packages")
	}
	var faults []error
	for _, system := range args[:end] {
		n, err := check(".", system, args[end+1:])
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:\n%w", system, err))
		}
		fmt.Printf("%s: %d packages\n", system, n)
	}
	return errors.Join(faults...)
}

// check checks the packages that match the patterns in a folder, with their dependencies in the same module. It
// returns the number of packages.
func check(dir, system string, patterns []string) (int, error) {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return 0, errors.New("want GOOS/GOARCH")
	}
	c := packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		Dir:  dir,
		Env:  append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch),
	}
	list, err := packages.Load(&c, patterns...)
	if err != nil {
		return 0, err
	}
	// Only bodies of the requested packages are checked.
	var own []string
	packages.Visit(list, nil, func(p *packages.Package) {
		if p.Module != nil && p.Module.Main {
			own = append(own, p.PkgPath)
		}
	})
	c.Mode |= packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
		packages.NeedTypesInfo | packages.NeedTypesSizes
	if list, err = packages.Load(&c, own...); err != nil {
		return 0, err
	}
	var faults []error
	packages.Visit(list, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			faults = append(faults, e)
		}
	})
	for _, p := range list {
		if len(p.OtherFiles) == 0 {
			faults = append(faults, bodiless(p)...)
		}
	}
	return len(list), errors.Join(faults...)
}

// bodiless reports the functions of a package that have no body.
func bodiless(p *packages.Package) (faults []error) {
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil {
				faults = append(faults, fmt.Errorf("%s: %s has no body", p.Fset.Position(f.Pos()), f.Name.Name))
			}
		}
	}
	return faults
}
