/* client: loads a compiled effect through MojoShader's effect interface, prints what an
 * application sees of it, and draws every pass by OpenGL, on a context without a window.
 *
 *     client FILE [VERTEX [SCENE]]
 *
 * It first prints the contents of the effect: parameters with their values, annotations,
 * techniques, passes. For each pass it prints the states that the pass sets when it begins,
 * and for each draw "drawn KEY", the number of covered pixels, and the values of all
 * targets, or "missed KEY" and the reason. Parameters are set by name to values computed
 * from the name, and some change between the draws of a pass. "preshader KEY STAGE" is
 * followed by a hash of the registers that a preshader has just uploaded. A pass that selects
 * programs from tables is drawn with every index; without an index MojoShader takes element 0.
 * A pass without a vertex program uses that of the file VERTEX, which is bound before the
 * pass begins, as a framework does. Scene 0 shows a square from the front and sets parameters
 * to values in 0..1. Scene 1 shows a bent square from the side, for programs that use depth.
 * It takes values in -1..1, and keeps the values that parameters have in the effect.
 */
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mojoshader.h"

enum { SIDE = 16, STEPS = 4, TARGETS = 4, TEXELS = 8, UNITS = 16, MAX_ATTRS = 16, MAX_FILE = 1 << 24 };
#define API MOJOSHADERCALL
/* The first argument of an effect's callbacks. Older versions of MojoShader pass none. */
#ifdef NO_CONTEXT
#define CONTEXT
#define ONLY_CONTEXT void
#else
#define CONTEXT const void *c,
#define ONLY_CONTEXT const void *c
#endif

typedef MOJOSHADER_effectValue Value;
typedef const MOJOSHADER_parseData Parsed;

/* noise returns a pseudo-random number in 0..1. */
static float noise(uint32_t h)
{
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return (float)((h ^ h >> 16) >> 8) / 16777216.0f;
}

static int scene; /* see the top of this file */

static uint32_t hash(const char *s)
{
    uint32_t h = 2166136261u;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h;
}

/* ---- programs, as the effect calls them */

static float *uploads[2]; /* registers of vertex and of pixel programs */
static MOJOSHADER_glShader *framework; /* the vertex program bound before passes, or NULL */

static void *API compile(CONTEXT const char *name, const unsigned char *code, unsigned size, const MOJOSHADER_swizzle *s,
                         unsigned swizzles, const MOJOSHADER_samplerMap *m, unsigned maps)
{
    return MOJOSHADER_glCompileShader(code, size, s, swizzles, m, maps);
}
static void API reference(void *p) { MOJOSHADER_glShaderAddRef(p); }
static void API delete(CONTEXT void *p) { MOJOSHADER_glDeleteShader(p); }
static MOJOSHADER_parseData *API parsed(void *p) { return (MOJOSHADER_parseData *)MOJOSHADER_glGetShaderParseData(p); }
static void API bind(CONTEXT void *v, void *p)
{
    MOJOSHADER_glBindShaders(NULL, NULL); /* otherwise programs that do not link leave the previous ones bound */
    MOJOSHADER_glBindShaders(v, p);
}
static void API bound(CONTEXT void **v, void **p)
{
    MOJOSHADER_glGetBoundShaders((MOJOSHADER_glShader **)v, (MOJOSHADER_glShader **)p);
}
static void API map(CONTEXT float **vf, int **vi, unsigned char **vb, float **pf, int **pi, unsigned char **pb)
{
    MOJOSHADER_glMapUniformBufferMemory(vf, vi, vb, pf, pi, pb);
    uploads[0] = *vf, uploads[1] = *pf;
}
static void API unmap(ONLY_CONTEXT) { MOJOSHADER_glUnmapUniformBufferMemory(); }
static const char *API error(ONLY_CONTEXT) { return MOJOSHADER_glGetError(); }

static const MOJOSHADER_effectShaderContext context = {compile, reference, delete, parsed, bind, bound, map, unmap, error};

/* ---- contents of an effect */

static int is_number(const Value *v) { return v->type.parameter_class <= MOJOSHADER_SYMCLASS_MATRIX_COLUMNS; }
static int is_sampler(const Value *v)
{
    return MOJOSHADER_SYMTYPE_SAMPLER <= v->type.parameter_type && v->type.parameter_type <= MOJOSHADER_SYMTYPE_SAMPLERCUBE;
}

static void print_value(const MOJOSHADER_effect *e, const char *what, const Value *v)
{
    printf("%s %s: %s class %d type %d %ux%u elements %u members %u count %u", what, v->name ? v->name : "-", v->semantic ? v->semantic : "-",
           v->type.parameter_class, v->type.parameter_type, v->type.rows, v->type.columns, v->type.elements, v->type.member_count, v->value_count);
    for (unsigned i = 0; i < v->value_count && (is_number(v) || v->type.parameter_class == MOJOSHADER_SYMCLASS_STRUCT); i++)
        printf(" %x", v->valuesI[i]);
    if (v->type.parameter_type == MOJOSHADER_SYMTYPE_STRING)
        printf(" %s", e->objects[v->valuesI[0]].string.string);
    printf("\n");
    for (unsigned i = 0; is_sampler(v) && i < v->value_count; i++) {
        printf("  sampler state %d", v->valuesSS[i].type);
        print_value(e, "", &v->valuesSS[i].value);
    }
}

static void print_annotations(const MOJOSHADER_effect *e, const MOJOSHADER_effectAnnotation *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        print_value(e, "  annotation", &list[i]);
}

static void print_effect(const MOJOSHADER_effect *e)
{
    for (int i = 0; i < e->param_count; i++) {
        print_value(e, "parameter", &e->params[i].value);
        print_annotations(e, e->params[i].annotations, e->params[i].annotation_count);
    }
    for (int t = 0; t < e->technique_count; t++) {
        const MOJOSHADER_effectTechnique *q = &e->techniques[t];
        printf("technique %s\n", q->name);
        print_annotations(e, q->annotations, q->annotation_count);
        for (unsigned p = 0; p < q->pass_count; p++) {
            printf("  pass %s\n", q->passes[p].name);
            print_annotations(e, q->passes[p].annotations, q->passes[p].annotation_count);
        }
    }
}

static void print_samplers(const MOJOSHADER_effect *e, const char *what, const MOJOSHADER_samplerStateRegister *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        printf("  %s %u %s\n", what, list[i].sampler_register, list[i].sampler_name);
        for (unsigned k = 0; k < list[i].sampler_state_count; k++) {
            printf("    state %d", list[i].sampler_states[k].type);
            print_value(e, "", &list[i].sampler_states[k].value);
        }
    }
}

static void print_states(const MOJOSHADER_effect *e, const MOJOSHADER_effectStateChanges *s)
{
    for (unsigned i = 0; i < s->render_state_change_count; i++) {
        printf("  render state %d", s->render_state_changes[i].type);
        print_value(e, "", &s->render_state_changes[i].value);
    }
    print_samplers(e, "vertex sampler", s->vertex_sampler_state_changes, s->vertex_sampler_state_change_count);
    print_samplers(e, "sampler", s->sampler_state_changes, s->sampler_state_change_count);
}

/* ---- parameters */

enum role { PLAIN, INDEX, TABLE };

/* role_of returns the role of a parameter in the selectors of programs, and the length of the longest table. */
static enum role role_of(const MOJOSHADER_effect *e, int parameter, unsigned *length)
{
    enum role role = PLAIN;
    for (int i = 0; i < e->object_count; i++) {
        const MOJOSHADER_effectShader *s = &e->objects[i].shader;
        if ((s->type != MOJOSHADER_SYMTYPE_VERTEXSHADER && s->type != MOJOSHADER_SYMTYPE_PIXELSHADER) || !s->is_preshader)
            continue;
        for (unsigned k = 0; k < s->preshader_param_count; k++) {
            unsigned elements = e->params[s->preshader_params[k]].value.type.elements;
            if (elements > *length)
                *length = elements;
            if (s->preshader_params[k] == (unsigned)parameter)
                role = elements ? TABLE : INDEX;
        }
    }
    return role;
}

/* kept reports whether scene 1 keeps the value that a parameter has in the effect. It must be called before
 * anything is set. */
static int kept(const Value *v)
{
    int some = 0;
    for (unsigned k = 0; scene && is_number(v) && v->type.parameter_class < MOJOSHADER_SYMCLASS_MATRIX_ROWS && k < v->value_count; k++)
        some |= v->valuesI[k];
    return some;
}

static unsigned char *keeps; /* by parameter */

/* set_parameters sets all parameters at step 0, and some of them at every other step. */
static void set_parameters(const MOJOSHADER_effect *e, int step, int index)
{
    for (int i = 0; i < e->param_count; i++) {
        const Value *v = &e->params[i].value;
        int is_struct = v->type.parameter_class == MOJOSHADER_SYMCLASS_STRUCT;
        uint32_t h = hash(v->name);
        unsigned length = 0;
        enum role role = role_of(e, i, &length);
        if ((!is_number(v) && !is_struct) || role == TABLE || (role == PLAIN && keeps[i]) || (role == PLAIN && step && h % (STEPS - 1) != (uint32_t)step - 1))
            continue;
        union { float f; int i; } *x = malloc(4 * v->value_count + 4);
        for (unsigned k = 0; k < v->value_count; k++) { /* four a row */
            float r = noise(h + 65537u * (uint32_t)step + k);
            if (role == INDEX)
                x[k].i = index;
            else if (is_struct || v->type.parameter_type == MOJOSHADER_SYMTYPE_FLOAT) {
                x[k].f = r = scene ? 2 * r - 1 : r;
                if (v->type.parameter_class >= MOJOSHADER_SYMCLASS_MATRIX_ROWS && !is_struct) /* near the identity, so that the picture is not empty */
                    x[k].f = (scene ? .6f : .2f) * r + (k / 4 % v->type.rows == k % 4);
            } else
                x[k].i = (int)(r * (v->type.parameter_type == MOJOSHADER_SYMTYPE_BOOL ? 2 : 4));
        }
        MOJOSHADER_effectSetRawValueName(e, v->name, x, 0, 4 * v->value_count);
        free(x);
    }
}

/* ---- draws */

/* print_uploads prints a hash of the registers that a program's preshader uploaded. */
static void print_uploads(const char *key, int stage, Parsed *p)
{
    uint32_t h = 0;
    if (!p->preshader)
        return;
    for (unsigned i = 0; i < p->preshader->instruction_count; i++) {
        const MOJOSHADER_preshaderInstruction *in = &p->preshader->instructions[i];
        const MOJOSHADER_preshaderOperand *to = &in->operands[in->operand_count - 1];
        for (unsigned k = 0; to->type == MOJOSHADER_PRESHADEROPERAND_OUTPUT && k < in->element_count; k++) {
            uint32_t bits;
            memcpy(&bits, uploads[stage] + to->index + k, 4);
            h = (h ^ bits) * 16777619u;
        }
    }
    printf("preshader %s %s %08x\n", key, stage ? "pixel" : "vertex", h);
}

static void print_numbers(GLenum buffer, GLenum format, int components)
{
    static float x[4 * SIDE * SIDE];
    if (buffer)
        glReadBuffer(buffer);
    glReadPixels(0, 0, SIDE, SIDE, format, GL_FLOAT, x);
    for (int i = 0; i < components * SIDE * SIDE; i++)
        printf(" %.9g", x[i]);
}

static void draw(const MOJOSHADER_effect *e, const char *key)
{
    static float mesh[MAX_ATTRS][4][4];
    MOJOSHADER_glShader *v, *p;
    GLenum buffers[TARGETS] = {GL_NONE};
    GLuint query, covered = 0;
    int depth = 0;
    MOJOSHADER_glGetBoundShaders(&v, &p);
    if (!v || !p) {
        printf("missed %s %s\n", key, !e->current_vert ? "no vertex program" : !e->current_pixl ? "no pixel program" : "does not link");
        return;
    }
    Parsed *vertex = MOJOSHADER_glGetShaderParseData(v), *pixel = MOJOSHADER_glGetShaderParseData(p);
    print_uploads(key, 0, vertex);
    print_uploads(key, 1, pixel);
    for (int i = 0; i < vertex->attribute_count && i < MAX_ATTRS; i++) {
        const MOJOSHADER_attribute *a = &vertex->attributes[i];
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 4; k++) {
                static const float depths[2][4] = {{.5f, .5f, .5f, .5f}, {.5f, -1, 1, .5f}};
                float corner[4] = {c & 1 ? 1 : -1, c & 2 ? 1 : -1, depths[scene][c], 1};
                int is_position = a->usage == MOJOSHADER_USAGE_POSITION && !a->index;
                mesh[i][c][k] = is_position ? corner[k] : noise(1000u * a->usage + 100u * (unsigned)a->index + 10u * (unsigned)c + (unsigned)k);
            }
        MOJOSHADER_glSetVertexAttribute(a->usage, a->index, 4, MOJOSHADER_ATTRIBUTE_FLOAT, 0, 0, mesh[i]);
    }
    for (int i = 0; i < pixel->output_count; i++) {
        const MOJOSHADER_attribute *a = &pixel->outputs[i];
        if (a->usage == MOJOSHADER_USAGE_COLOR && a->index < TARGETS)
            buffers[a->index] = GL_COLOR_ATTACHMENT0 + (unsigned)a->index;
        depth |= a->usage == MOJOSHADER_USAGE_DEPTH;
    }
    glDrawBuffers(TARGETS, buffers);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glGenQueries(1, &query);
    glBeginQuery(GL_SAMPLES_PASSED, query);
    MOJOSHADER_glProgramReady();
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &covered);
    glDeleteQueries(1, &query);
    printf("drawn %s %u", key, covered);
    for (int i = 0; i < TARGETS; i++)
        if (buffers[i])
            print_numbers(buffers[i], GL_RGBA, 4);
    if (depth)
        print_numbers(0, GL_DEPTH_COMPONENT, 1);
    printf("\n");
    if (glGetError())
        printf("failed: GL error in %s\n", key);
}

static void run(MOJOSHADER_effect *e)
{
    MOJOSHADER_effectStateChanges changes;
    unsigned passes, indices = 0;
    role_of(e, -1, &indices);
    keeps = calloc((size_t)e->param_count + 1, 1);
    for (int i = 0; i < e->param_count; i++)
        keeps[i] = kept(&e->params[i].value) != 0;
    for (unsigned index = 0; index < (indices ? indices : 1); index++)
        for (int t = 0; t < e->technique_count; t++) {
            memset(&changes, 0, sizeof changes);
            MOJOSHADER_effectSetTechnique(e, &e->techniques[t]);
            MOJOSHADER_effectBegin(e, &passes, 0, &changes);
            for (unsigned p = 0; p < passes; p++)
                for (int step = 0; step < STEPS; step++) {
                    char key[64];
                    snprintf(key, sizeof key, "%d/%u/%u/%d", t, p, index, step);
                    set_parameters(e, step, (int)index);
                    if (step % 2) /* stay in the pass */
                        MOJOSHADER_effectCommitChanges(e);
                    else {
                        if (step)
                            MOJOSHADER_effectEndPass(e);
                        if (framework)
                            MOJOSHADER_glBindShaders(framework, NULL);
                        MOJOSHADER_effectBeginPass(e, p);
                    }
                    if (!step)
                        print_states(e, &changes);
                    draw(e, key);
                    if (step == STEPS - 1)
                        MOJOSHADER_effectEndPass(e);
                }
            MOJOSHADER_effectEnd(e);
        }
}

/* ---- OpenGL */

static void *lookup(const char *name, void *d) { return (void *)eglGetProcAddress(name); }

static void make_textures(void)
{
    static const GLenum kinds[] = {GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP};
    static float texels[4 * TEXELS * TEXELS * TEXELS];
    GLuint names[3];
    for (size_t i = 0; i < sizeof texels / sizeof *texels; i++)
        texels[i] = noise((uint32_t)i);
    glGenTextures(3, names);
    for (int u = UNITS - 1; u >= 0; u--) {
        glActiveTexture(GL_TEXTURE0 + (unsigned)u);
        for (int k = 0; k < 3; k++)
            glBindTexture(kinds[k], names[k]);
    }
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, TEXELS, TEXELS, 0, GL_RGBA, GL_FLOAT, texels);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA32F, TEXELS, TEXELS, TEXELS, 0, GL_RGBA, GL_FLOAT, texels);
    for (unsigned f = 0; f < 6; f++)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, GL_RGBA32F, TEXELS, TEXELS, 0, GL_RGBA, GL_FLOAT, texels + 4 * TEXELS * TEXELS * f);
    for (int k = 0; k < 3; k++) {
        glTexParameteri(kinds[k], GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(kinds[k], GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    }
}

static int open_device(void)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API))
        return 0;
    EGLContext gl = eglCreateContext(display, NULL, EGL_NO_CONTEXT, NULL);
    MOJOSHADER_glContext *mojo;
    if (!gl || !eglMakeCurrent(display, NULL, NULL, gl) || !(mojo = MOJOSHADER_glCreateContext("glsl120", lookup, NULL, NULL, NULL, NULL)))
        return 0;
    MOJOSHADER_glMakeContextCurrent(mojo);
    make_textures();
    GLuint framebuffer, buffers[TARGETS + 1];
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glGenRenderbuffers(TARGETS + 1, buffers);
    for (unsigned i = 0; i <= TARGETS; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, buffers[i]);
        glRenderbufferStorage(GL_RENDERBUFFER, i < TARGETS ? GL_RGBA32F : GL_DEPTH_COMPONENT32F, SIDE, SIDE);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, i < TARGETS ? GL_COLOR_ATTACHMENT0 + i : GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffers[i]);
    }
    glViewport(0, 0, SIDE, SIDE);
    glEnable(GL_DEPTH_TEST); /* otherwise no depths are written */
    glDepthFunc(GL_ALWAYS);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE && !glGetError();
}

int main(int argc, char **argv)
{
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL, *vertex = argc > 2 ? fopen(argv[2], "rb") : NULL;
    unsigned char *data = malloc(MAX_FILE);
    scene = argc > 3 && !strcmp(argv[3], "1");
    if (!open_device()) {
        fprintf(stderr, "client: no OpenGL without a window\n");
        return 77;
    }
    if (!f || (argc > 2 && !vertex)) {
        fprintf(stderr, "client: no file\n");
        return 2;
    }
    unsigned size;
    if (vertex) {
        size = (unsigned)fread(data, 1, MAX_FILE, vertex);
        if (!(framework = MOJOSHADER_glCompileShader(data, size, NULL, 0, NULL, 0))) {
            fprintf(stderr, "client: %s\n", MOJOSHADER_glGetError());
            return 2;
        }
    }
    size = (unsigned)fread(data, 1, MAX_FILE, f);
    MOJOSHADER_effect *e = MOJOSHADER_compileEffect(data, size, NULL, 0, NULL, 0, &context);
    if (e->error_count) {
        for (int i = 0; i < e->error_count; i++)
            printf("missed all %s\n", e->errors[i].error);
        return 0;
    }
    print_effect(e);
    run(e);
    return 0;
}
