// A quad at unit scale.
vs_2_0
def c4, 1, 0, 0, 0
dcl_position v0
dcl_texcoord v1
m4x4 oPos, v0, c0
mov oD0, c4.x
mov oT0.xy, v1
mov oT0.zw, c4.x
