package shaderlift

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
		return nil, asm.Errorf(placeOf(err, name, data), "bad-report", "this is no report: %s", wrongJSON(err))
	}
	if r.Schema != Schema {
		return nil, asm.Errorf(asm.Pos{File: name}, "bad-report", "this is no report of schema %d: its schema is %d", Schema, r.Schema)
	}
	if why := unsound(r.Results); why != "" {
		return nil, asm.Errorf(asm.Pos{File: name}, "bad-report", "this is no report: %s", why)
	}
	return r, nil
}

// mostCycles is far above what any launch takes, and sums of it fit an int.
const mostCycles = 1e15

// unsound names something in results that no run leaves there, "" if there is nothing. Reports are
// read from files, so they may say anything.
func unsound(results []*Result) string {
	for _, r := range results {
		if r == nil {
			return "a result is null"
		}
		if k := r.Kernel; k != nil && !(k.Now().Cycles >= 0 && k.Now().Cycles <= mostCycles) {
			return fmt.Sprintf("%s takes %g cycles", r.Input, k.Now().Cycles)
		}
		if why := unsound(r.Parts); why != "" {
			return why
		}
	}
	return ""
}

// wrongJSON says what is wrong with data by an error of package json, which else names types of Go.
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

// placeOf is where in data an error of package json was met.
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
