/* draw: renders pairs of Direct3D 9 shaders through the real API and writes the
 * pictures as raw floats. It is built with mingw and run under Wine, so that the
 * interpreter can be compared with an implementation of the API.
 *
 *     draw LIST
 *
 * LIST has one job per line: the files of the vertex program, the pixel program (both
 * bytecode) and the case, the number of render targets, and the output file. The output
 * is float32 RGBA, top row first, one target after the other. Each job prints "ok N" or
 * "failed N: what: HRESULT", where N counts from 0. The run continues after a failed job.
 * The case format is that of package interp. A case must contain "offset 0.5 0.5",
 * because Direct3D 9 has pixel centres at whole numbers.
 */
#define COBJMACROS
#include <windows.h>
#include <d3d9.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ATTRS = 16, MAX_TARGETS = 4, MAX_TEXTURES = 20, VERTEX_FLOATS = 256, PIXEL_FLOATS = 224, SMALL_CONSTS = 16 };

static const char *const usages[] = {
    "position", "blendweight", "blendindices", "normal", "psize", "texcoord", "tangent",
    "binormal", "tessfactor", "positiont", "color", "fog", "depth", "sample",
};

/* Attr is one vertex element: count floats, components to a vertex. */
typedef struct {
    int usage, index, components, count;
    float *data;
} Attr;

/* Draw holds the settings of a case that are not device state. */
typedef struct {
    int width, height, targets, placed;
    float clear[4];
    D3DPRIMITIVETYPE prim;
    int attrs;
    Attr attr[MAX_ATTRS];
} Draw;

static IDirect3DDevice9 *device;
static int job;
static jmp_buf next_job;

/* fail reports that the current job failed and continues with the next one. */
static void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("failed %d: ", job);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    longjmp(next_job, 1);
}

static void check(HRESULT r, const char *what)
{
    if (FAILED(r))
        fail("%s: %08lx", what, (unsigned long)r);
}

/* ---- resources: allocations of a job live until the next job begins ---- */

enum { MAX_OWNED = 256 };
static void *owned_memory[MAX_OWNED];
static IUnknown *owned_object[MAX_OWNED];
static int owned_memories, owned_objects;

static void *allocate(size_t size)
{
    void *p = owned_memories < MAX_OWNED ? calloc(1, size ? size : 1) : NULL;
    if (!p)
        fail("out of memory");
    return owned_memory[owned_memories++] = p;
}

static void *own(void *object)
{
    if (owned_objects == MAX_OWNED) {
        IUnknown_Release((IUnknown *)object);
        fail("too many objects");
    }
    return owned_object[owned_objects++] = object;
}

static void release_all(void)
{
    for (int i = 0; i < owned_objects; i++)
        IUnknown_Release(owned_object[i]);
    for (int i = 0; i < owned_memories; i++)
        free(owned_memory[i]);
    owned_objects = owned_memories = 0;
}

static char *read_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    if (!f)
        fail("cannot open %s", name);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *data = allocate(size + 1);
    size_t got = fread(data, 1, size, f);
    fclose(f);
    if (got != (size_t)size)
        fail("cannot read %s", name);
    return data;
}

/* ---- reading a case: words of the current line ---- */

static char *cursor;

static char *word_or_null(void)
{
    return strtok_r(NULL, " \t\r,", &cursor);
}

static char *word(void)
{
    char *w = word_or_null();
    if (!w)
        fail("case: line too short");
    return w;
}

static int integer(void) { return (int)strtol(word(), NULL, 10); }
static float number(void) { return strtof(word(), NULL); }

static int between(int low, int high)
{
    int n = integer();
    if (n < low || n > high)
        fail("case: %d is not in %d..%d", n, low, high);
    return n;
}

/* Texels yields the components of a texture: those listed, or those of the generator
 * that the case format defines. */
typedef struct {
    int listed;
    unsigned state;
} Texels;

static Texels texels(void)
{
    Texels t = {strcmp(word(), "rand") != 0, 0};
    if (!t.listed)
        t.state = strtoul(word(), NULL, 10) * 2654435761u + 1;
    return t;
}

static void fill(Texels *t, void *bits, int floats)
{
    for (int i = 0; i < floats; i++) {
        if (t->listed) {
            ((float *)bits)[i] = number();
        } else {
            t->state = t->state * 1664525u + 1013904223u;
            ((float *)bits)[i] = (t->state >> 8) / 16777216.0f;
        }
    }
}

static IDirect3DBaseTexture9 *plane(int w, int h, Texels *t)
{
    IDirect3DTexture9 *tex;
    D3DLOCKED_RECT box;
    check(IDirect3DDevice9_CreateTexture(device, w, h, 1, 0, D3DFMT_A32B32G32R32F, D3DPOOL_MANAGED, &tex, NULL), "texture");
    own(tex);
    check(IDirect3DTexture9_LockRect(tex, 0, &box, NULL, 0), "lock");
    for (int y = 0; y < h; y++)
        fill(t, (char *)box.pBits + y * box.Pitch, 4 * w);
    IDirect3DTexture9_UnlockRect(tex, 0);
    return (IDirect3DBaseTexture9 *)tex;
}

static IDirect3DBaseTexture9 *cube(int edge, Texels *t)
{
    IDirect3DCubeTexture9 *tex;
    D3DLOCKED_RECT box;
    check(IDirect3DDevice9_CreateCubeTexture(device, edge, 1, 0, D3DFMT_A32B32G32R32F, D3DPOOL_MANAGED, &tex, NULL), "cube texture");
    own(tex);
    for (int face = 0; face < 6; face++) {
        check(IDirect3DCubeTexture9_LockRect(tex, face, 0, &box, NULL, 0), "lock");
        for (int y = 0; y < edge; y++)
            fill(t, (char *)box.pBits + y * box.Pitch, 4 * edge);
        IDirect3DCubeTexture9_UnlockRect(tex, face, 0);
    }
    return (IDirect3DBaseTexture9 *)tex;
}

static IDirect3DBaseTexture9 *volume(int w, int h, int d, Texels *t)
{
    IDirect3DVolumeTexture9 *tex;
    D3DLOCKED_BOX box;
    check(IDirect3DDevice9_CreateVolumeTexture(device, w, h, d, 1, 0, D3DFMT_A32B32G32R32F, D3DPOOL_MANAGED, &tex, NULL), "volume texture");
    own(tex);
    check(IDirect3DVolumeTexture9_LockBox(tex, 0, &box, NULL, 0), "lock");
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            fill(t, (char *)box.pBits + z * box.SlicePitch + y * box.RowPitch, 4 * w);
    IDirect3DVolumeTexture9_UnlockBox(tex, 0);
    return (IDirect3DBaseTexture9 *)tex;
}

static DWORD filter_named(const char *name)
{
    if (!strcmp(name, "linear"))
        return D3DTEXF_LINEAR;
    if (strcmp(name, "nearest"))
        fail("case: no filter %s", name);
    return D3DTEXF_POINT;
}

/* read_texture reads the rest of a tex, texcube or texvol line (or of one that
 * starts with v, for a vertex sampler): sampler, size, filter, addressing, texels. */
static void read_texture(const char *kind)
{
    int vertex = *kind == 'v';
    kind += vertex;
    int sampler = vertex ? D3DVERTEXTEXTURESAMPLER0 + between(0, 3) : between(0, 15);
    int is_cube = !strcmp(kind, "texcube"), is_volume = !strcmp(kind, "texvol");
    int w = integer(), h = is_cube ? w : integer(), d = is_volume ? integer() : 1;
    DWORD filter = filter_named(word());
    DWORD address = strcmp(word(), "wrap") ? D3DTADDRESS_CLAMP : D3DTADDRESS_WRAP;
    Texels t = texels();
    IDirect3DBaseTexture9 *tex = is_cube ? cube(w, &t) : is_volume ? volume(w, h, d, &t) : plane(w, h, &t);

    check(IDirect3DDevice9_SetTexture(device, sampler, tex), "set texture");
    IDirect3DDevice9_SetSamplerState(device, sampler, D3DSAMP_MINFILTER, filter);
    IDirect3DDevice9_SetSamplerState(device, sampler, D3DSAMP_MAGFILTER, filter);
    IDirect3DDevice9_SetSamplerState(device, sampler, D3DSAMP_MIPFILTER, D3DTEXF_NONE);
    IDirect3DDevice9_SetSamplerState(device, sampler, D3DSAMP_ADDRESSU, address);
    IDirect3DDevice9_SetSamplerState(device, sampler, D3DSAMP_ADDRESSV, address);
    IDirect3DDevice9_SetSamplerState(device, sampler, D3DSAMP_ADDRESSW, address);
}

static void read_attr(Draw *d, char *line_end)
{
    if (d->attrs == MAX_ATTRS)
        fail("case: too many attributes");
    Attr *a = &d->attr[d->attrs++];
    char *usage = word();
    for (a->usage = 0; strcmp(usage, usages[a->usage]); a->usage++)
        if (a->usage + 1 == sizeof usages / sizeof *usages)
            fail("case: unknown usage %s", usage);
    a->index = integer();
    a->components = between(1, 4);
    a->data = allocate((line_end - cursor) / 2 * sizeof *a->data + sizeof *a->data);
    for (char *w; (w = word_or_null()); a->count++)
        a->data[a->count] = strtof(w, NULL);
}

/* read_constant reads the rest of vc, vi, vb, pc, pi or pb. */
static void read_constant(const char *kind)
{
    int vertex = kind[0] == 'v';
    int n = between(0, (kind[1] != 'c' ? SMALL_CONSTS : vertex ? VERTEX_FLOATS : PIXEL_FLOATS) - 1);
    float f[4];
    int i[4];
    BOOL b;
    HRESULT r;
    switch (kind[1]) {
    case 'c':
        for (int k = 0; k < 4; k++)
            f[k] = number();
        r = vertex ? IDirect3DDevice9_SetVertexShaderConstantF(device, n, f, 1)
                   : IDirect3DDevice9_SetPixelShaderConstantF(device, n, f, 1);
        break;
    case 'i':
        for (int k = 0; k < 4; k++)
            i[k] = integer();
        r = vertex ? IDirect3DDevice9_SetVertexShaderConstantI(device, n, i, 1)
                   : IDirect3DDevice9_SetPixelShaderConstantI(device, n, i, 1);
        break;
    default:
        b = integer() != 0;
        r = vertex ? IDirect3DDevice9_SetVertexShaderConstantB(device, n, &b, 1)
                   : IDirect3DDevice9_SetPixelShaderConstantB(device, n, &b, 1);
    }
    check(r, "constant");
}

static D3DPRIMITIVETYPE primitive(const char *name)
{
    if (!strcmp(name, "tris"))
        return D3DPT_TRIANGLELIST;
    return strcmp(name, "fan") ? D3DPT_TRIANGLESTRIP : D3DPT_TRIANGLEFAN;
}

/* read_case sets the device's constants, textures and samplers, and stores the other
 * settings in d. */
static void read_case(char *text, Draw *d)
{
    char *lines;
    for (char *line = strtok_r(text, "\n", &lines); line; line = strtok_r(NULL, "\n", &lines)) {
        char *end = line + strlen(line);
        char *hash = strchr(line, '#');
        if (hash)
            *hash = 0;
        char *key = strtok_r(line, " \t\r", &cursor);
        if (!key)
            continue;
        if (!strcmp(key, "size")) {
            d->width = integer();
            d->height = integer();
        } else if (!strcmp(key, "offset")) {
            d->placed = number() == 0.5f && number() == 0.5f;
        } else if (!strcmp(key, "clear")) {
            for (int k = 0; k < 4; k++)
                d->clear[k] = number();
        } else if (!strcmp(key, "prim")) {
            d->prim = primitive(word());
        } else if (!strcmp(key, "attr")) {
            read_attr(d, end);
        } else if (strstr(key, "tex")) {
            read_texture(key);
        } else if ((key[0] == 'v' || key[0] == 'p') && strchr("cib", key[1]) && !key[2]) {
            read_constant(key);
        } else {
            fail("case: unknown line %s", key);
        }
    }
    if (!d->placed)
        fail("case: offset 0.5 0.5 is missing");
}

/* ---- drawing ---- */

/* set_stages sets the bump matrices and luminances that package interp uses for the
 * texture stages of ps_1_x. */
static void set_stages(void)
{
    static const struct {
        D3DTEXTURESTAGESTATETYPE state;
        float value;
    } bump[] = {
        {D3DTSS_BUMPENVMAT00, 0.5f}, {D3DTSS_BUMPENVMAT01, -0.25f}, {D3DTSS_BUMPENVMAT10, 0.125f},
        {D3DTSS_BUMPENVMAT11, 0.75f}, {D3DTSS_BUMPENVLSCALE, 0.625f}, {D3DTSS_BUMPENVLOFFSET, 0.25f},
    };
    for (int stage = 0; stage < 8; stage++)
        for (unsigned i = 0; i < sizeof bump / sizeof *bump; i++) {
            float value = bump[i].value * (1 + stage / 8.0f);
            DWORD bits;
            memcpy(&bits, &value, sizeof bits);
            IDirect3DDevice9_SetTextureStageState(device, stage, bump[i].state, bits);
        }
}

/* reset gives the device the state that every case starts from. */
static void reset(void)
{
    static const float floats[4 * VERTEX_FLOATS];
    static const int ints[4 * SMALL_CONSTS];
    static const BOOL bools[SMALL_CONSTS];
    for (int s = 0; s < 16; s++)
        IDirect3DDevice9_SetTexture(device, s, NULL);
    for (int s = 0; s < 4; s++)
        IDirect3DDevice9_SetTexture(device, D3DVERTEXTEXTURESAMPLER0 + s, NULL);
    for (int t = 1; t < MAX_TARGETS; t++)
        IDirect3DDevice9_SetRenderTarget(device, t, NULL);
    IDirect3DDevice9_SetVertexShaderConstantF(device, 0, floats, VERTEX_FLOATS);
    IDirect3DDevice9_SetVertexShaderConstantI(device, 0, ints, SMALL_CONSTS);
    IDirect3DDevice9_SetVertexShaderConstantB(device, 0, bools, SMALL_CONSTS);
    IDirect3DDevice9_SetPixelShaderConstantF(device, 0, floats, PIXEL_FLOATS);
    IDirect3DDevice9_SetPixelShaderConstantI(device, 0, ints, SMALL_CONSTS);
    IDirect3DDevice9_SetPixelShaderConstantB(device, 0, bools, SMALL_CONSTS);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_NONE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ZENABLE, D3DZB_FALSE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_LIGHTING, FALSE);
    set_stages();
}

/* interleave lays the attributes out as one vertex stream and declares it. */
static char *interleave(const Draw *d, int *stride, int *vertices)
{
    D3DVERTEXELEMENT9 elements[MAX_ATTRS + 1] = {0}, last = D3DDECL_END();
    *stride = 0;
    *vertices = d->attrs ? INT_MAX : 0;
    for (int i = 0; i < d->attrs; i++) {
        const Attr *a = &d->attr[i];
        D3DVERTEXELEMENT9 e = {0, *stride, D3DDECLTYPE_FLOAT1 + a->components - 1, 0, a->usage, a->index};
        elements[i] = e;
        *stride += a->components * sizeof(float);
        if (a->count / a->components < *vertices)
            *vertices = a->count / a->components;
    }
    elements[d->attrs] = last;

    IDirect3DVertexDeclaration9 *declaration;
    check(IDirect3DDevice9_CreateVertexDeclaration(device, elements, &declaration), "vertex declaration");
    own(declaration);
    check(IDirect3DDevice9_SetVertexDeclaration(device, declaration), "set vertex declaration");

    char *stream = allocate((size_t)*stride * *vertices), *p = stream;
    for (int v = 0; v < *vertices; v++)
        for (int i = 0; i < d->attrs; i++) {
            size_t size = d->attr[i].components * sizeof(float);
            memcpy(p, d->attr[i].data + v * d->attr[i].components, size);
            p += size;
        }
    return stream;
}

/* clear fills a target. IDirect3DDevice9::Clear supports only 8-bit colours. */
static void clear(IDirect3DSurface9 *target, const Draw *d)
{
    IDirect3DSurface9 *image;
    D3DLOCKED_RECT box;
    check(IDirect3DDevice9_CreateOffscreenPlainSurface(device, d->width, d->height, D3DFMT_A32B32G32R32F, D3DPOOL_SYSTEMMEM, &image, NULL), "surface");
    own(image);
    check(IDirect3DSurface9_LockRect(image, &box, NULL, 0), "lock");
    for (int y = 0; y < d->height; y++)
        for (int x = 0; x < d->width; x++)
            memcpy((char *)box.pBits + y * box.Pitch + x * sizeof d->clear, d->clear, sizeof d->clear);
    IDirect3DSurface9_UnlockRect(image);
    check(IDirect3DDevice9_UpdateSurface(device, image, NULL, target, NULL), "clear");
}

static void write_target(IDirect3DSurface9 *target, const Draw *d, FILE *out)
{
    IDirect3DSurface9 *image;
    D3DLOCKED_RECT box;
    check(IDirect3DDevice9_CreateOffscreenPlainSurface(device, d->width, d->height, D3DFMT_A32B32G32R32F, D3DPOOL_SYSTEMMEM, &image, NULL), "surface");
    own(image);
    check(IDirect3DDevice9_GetRenderTargetData(device, target, image), "read back");
    check(IDirect3DSurface9_LockRect(image, &box, NULL, D3DLOCK_READONLY), "lock");
    for (int y = 0; y < d->height; y++)
        fwrite((char *)box.pBits + y * box.Pitch, 4 * sizeof(float), d->width, out);
    IDirect3DSurface9_UnlockRect(image);
}

static void run(const char *vertex_name, const char *pixel_name, const char *case_name, int targets, const char *out_name)
{
    Draw d = {.width = 4, .height = 4, .targets = targets, .prim = D3DPT_TRIANGLESTRIP};
    IDirect3DVertexShader9 *vertex;
    IDirect3DPixelShader9 *pixel;
    IDirect3DSurface9 *target[MAX_TARGETS];

    reset();
    check(IDirect3DDevice9_CreateVertexShader(device, (DWORD *)read_file(vertex_name), &vertex), "vertex program");
    own(vertex);
    check(IDirect3DDevice9_CreatePixelShader(device, (DWORD *)read_file(pixel_name), &pixel), "pixel program");
    own(pixel);
    check(IDirect3DDevice9_SetVertexShader(device, vertex), "set vertex program");
    check(IDirect3DDevice9_SetPixelShader(device, pixel), "set pixel program");
    read_case(read_file(case_name), &d);

    for (int t = 0; t < d.targets; t++) {
        check(IDirect3DDevice9_CreateRenderTarget(device, d.width, d.height, D3DFMT_A32B32G32R32F, 0, 0, 0, &target[t], NULL), "render target");
        own(target[t]);
        clear(target[t], &d);
        check(IDirect3DDevice9_SetRenderTarget(device, t, target[t]), "set render target");
    }

    int stride, vertices;
    char *stream = interleave(&d, &stride, &vertices);
    int primitives = d.prim == D3DPT_TRIANGLELIST ? vertices / 3 : vertices - 2;
    check(IDirect3DDevice9_BeginScene(device), "begin");
    HRESULT drawn = IDirect3DDevice9_DrawPrimitiveUP(device, d.prim, primitives, stream, stride);
    IDirect3DDevice9_EndScene(device);
    check(drawn, "draw");

    FILE *out = fopen(out_name, "wb");
    if (!out)
        fail("cannot write %s", out_name);
    for (int t = 0; t < d.targets; t++)
        write_target(target[t], &d, out);
    fclose(out);
}

static int open_device(void)
{
    IDirect3D9 *d3d = Direct3DCreate9(D3D_SDK_VERSION);
    HWND window = CreateWindowA("static", "draw", WS_OVERLAPPEDWINDOW, 0, 0, 64, 64, NULL, NULL, NULL, NULL);
    D3DPRESENT_PARAMETERS pp = {
        .Windowed = TRUE,
        .SwapEffect = D3DSWAPEFFECT_DISCARD,
        .hDeviceWindow = window,
        .BackBufferFormat = D3DFMT_X8R8G8B8,
        .BackBufferWidth = 64,
        .BackBufferHeight = 64,
    };
    return d3d && SUCCEEDED(IDirect3D9_CreateDevice(d3d, 0, D3DDEVTYPE_HAL, window, D3DCREATE_HARDWARE_VERTEXPROCESSING, &pp, &device));
}

int main(int argc, char **argv)
{
    static char line[8 * MAX_PATH];
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!list) {
        fprintf(stderr, "usage: draw LIST\n");
        return 2;
    }
    if (!open_device()) {
        fprintf(stderr, "draw: no Direct3D 9 device\n");
        return 1;
    }
    for (job = 0; fgets(line, sizeof line, list); job++) {
        char *rest, *field[5];
        for (int i = 0; i < 5; i++)
            field[i] = strtok_r(i ? NULL : line, " \r\n", &rest);
        if (!setjmp(next_job)) {
            int targets = field[4] ? atoi(field[3]) : 0;
            if (targets < 1 || targets > MAX_TARGETS)
                fail("a job is: vertex program, pixel program, case, targets, output");
            run(field[0], field[1], field[2], targets, field[4]);
            printf("ok %d\n", job);
        }
        fflush(stdout);
        release_all();
    }
    return 0;
}
