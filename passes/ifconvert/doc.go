// Package ifconvert replaces branches by what both sides compute and a selection between the
// results: if-conversion (Allen, Kennedy, Porterfield and Warren, POPL 1983).
package ifconvert
