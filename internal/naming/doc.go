// Package naming has the names of enumerated values, and suggestions for misspelt names.
//
// [String], [Marshal] and [Unmarshal] convert the values of an enumerated type to names and back. A type keeps
// its names in a table, in the order of its values, and implements its methods with these functions. Stored or
// transmitted data has names and never numbers. [Suggest] finds the known name that an unknown name was probably
// meant to be.
package naming
