#version 450
// A vertex program with a uniform block, a push constant, and an output that lit.frag does not read.
layout(set = 0, binding = 0) uniform Camera { mat4 viewProjection; vec4 light; } camera;
layout(push_constant) uniform Object { mat4 world; vec4 scale; } object;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 texcoord;
layout(location = 0) out vec2 uv;
layout(location = 1) out float shade;
layout(location = 2) out vec4 unread;
void main() {
    vec4 p = object.world * vec4(position, 1.0);
    gl_Position = camera.viewProjection * p;
    uv = texcoord * object.scale.xy + object.scale.zw;
    shade = max(dot(mat3(object.world) * normal, camera.light.xyz), 0.0);
    unread = p * 0.5;
}
