// Package pair prices Direct3D 9 programs and states facts about them: slots, limits of profiles, times on
// GPUs, promised properties of draws, and reads of undefined components.
//
// A [Target] names what is counted. [GPUs] compares versions with an input. All functions take programs as
// values.
package pair
