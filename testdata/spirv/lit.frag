#version 450
layout(constant_id = 3) const int taps = 4;
layout(set = 0, binding = 1) uniform sampler2D colours;
layout(location = 0) in vec2 uv;
layout(location = 1) in float shade;
layout(location = 0) out vec4 result;
vec4 blur(vec2 centre) {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < taps; i++) {
        sum += texture(colours, centre + vec2(float(i) * 0.01, 0.0));
    }
    return sum / float(taps);
}
void main() {
    vec4 c = blur(uv);
    if (c.a < 0.5) discard;
    switch (int(shade * 3.0)) {
    case 0: c.rgb *= 0.25; break;
    case 1: c.rgb = sqrt(c.rgb); break;
    default: c.rgb = mix(c.rgb, vec3(1.0), fwidth(uv.x));
    }
    result = c * shade;
}
