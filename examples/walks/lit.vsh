vs_2_0
dcl_position v0
dcl_texcoord v1
dcl_normal v2
m4x4 oPos, v0, c0
mov oT0.xy, v1
dp3 oT1.x, v2, c4
dp3 oT1.y, v2, c5
dp3 oT1.z, v2, c6
