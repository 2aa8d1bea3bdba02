package opt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
)

// ReadReport reads the JSON form of a report, of the file name.
func ReadReport(name string, data []byte) (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, asm.Errorf(placeOf(err, name, data), "bad-report", "the file is not a report: %s", wrongJSON(err))
	}
	if r.Schema != Schema {
		return nil, asm.Errorf(asm.Pos{File: name}, "bad-report", "the report must have schema %d, not %d", Schema, r.Schema)
	}
	if why := unsound(r.Results); why != "" {
		return nil, asm.Errorf(asm.Pos{File: name}, "bad-report", "the file is not a report: %s", why)
	}
	return r, nil
}

// mostCycles is far above the cycles of any launch, and sums of it fit an int.
const mostCycles = 1e15

// unsound names an inconsistency in results that no run produces, or returns "". Reports are untrusted
// files.
func unsound(results []*Result) string {
	for _, r := range results {
		if r == nil {
			return "a result is null"
		}
		if k := r.Kernel; k != nil && !(k.CurrentCost().Cycles >= 0 && k.CurrentCost().Cycles <= mostCycles) {
			return fmt.Sprintf("%s takes %g cycles", r.Input, k.CurrentCost().Cycles)
		}
		if why := unsound(r.Parts); why != "" {
			return why
		}
	}
	return ""
}

// wrongJSON describes the error in data from an error of package json, without names of Go types.
func wrongJSON(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &kind):
		return err.Error()
	case kind.Field == "":
		return "it cannot be a JSON " + kind.Value
	}
	return fmt.Sprintf("its %s cannot be a JSON %s", kind.Field, kind.Value)
}

// placeOf returns the position in data of an error of package json.
func placeOf(err error, name string, data []byte) asm.Pos {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := 0
	switch {
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.As(err, &kind):
		at = int(kind.Offset)
	default:
		return asm.Pos{File: name}
	}
	read := data[:min(max(at-1, 0), len(data))]
	return asm.Pos{File: name, Line: 1 + bytes.Count(read, []byte("\n")), Col: len(read) - bytes.LastIndexByte(read, '\n')}
}
