// Shades a surface with a pattern of as many octaves as the application asks for by i0,
// each of half the weight and c6.y times the frequency of the one before.
vs_2_0
    def c10, 0, 0.5, 1, 0
    dcl_position v0
    dcl_texcoord v1
    dp4 oPos.x, v0, c0
    dp4 oPos.y, v0, c1
    dp4 oPos.z, v0, c2
    dp4 oPos.w, v0, c3
    mov r0.xy, v1
    mov r1.xy, c10.xzzz
    rep i0
    frc r2.xy, r0
    mul r2.x, r2.x, r2.y
    mad r1.x, r1.y, r2.x, r1.x
    mul r0.xy, r0, c6.y
    mul r1.y, r1.y, c10.y
    endrep
    mov oD0, r1.x
