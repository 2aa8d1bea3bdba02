/* effects: loads compiled effects through D3DXCreateEffect, prints what an application
 * sees of them, and draws every pass. It is built with mingw and run under Wine.
 *
 *     effects LIST
 *
 * LIST has one file per line. For each file it prints "file N", and then three kinds of lines:
 * the contents of the effect (parameters with their values, annotations, techniques,
 * passes), the states that a pass sets when it begins, and the result of each draw. A result
 * is "drawn KEY" with the number of covered pixels and the values of all pixels, or "missed
 * KEY" with the reason. The last line is "end". Parameters are set by name to values computed
 * from the name. Some change between the draws of a pass, and one called Index counts the
 * draws. Before each file, constants get other values, because nothing may depend on them.
 */
#include <windows.h>
#include <d3d9.h>
#include <d3dx9.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, STEPS = 4, CORNERS = 4, MAX_ATTRS = 16, TEXELS = 8 };

static IDirect3DDevice9 *device;
static IDirect3DSurface9 *target, *copy;
static IDirect3DTexture9 *texture;
static IDirect3DVertexShader9 *vertex;
static IDirect3DQuery9 *occlusion;

/* noise returns a pseudo-random number in 0..1. */
static float noise(uint32_t h)
{
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return (float)((h ^ h >> 16) >> 8) / 16777216.0f;
}

static uint32_t hash(const char *s)
{
    uint32_t h = 2166136261u;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h;
}

static void check(const char *what, HRESULT h)
{
    if (FAILED(h))
        printf("failed: %s: %08lx\n", what, h);
}

/* ---- the state manager that the effect calls */

typedef ID3DXEffectStateManager Manager;

static HRESULT WINAPI query(Manager *m, REFIID id, void **out) { return *out = m, S_OK; }
static ULONG WINAPI reference(Manager *m) { return 1; }
#define UNUSED(name, ...) \
    static HRESULT WINAPI name(Manager *m, __VA_ARGS__) { return printf("  " #name "\n"), S_OK; }
UNUSED(transform, D3DTRANSFORMSTATETYPE s, const D3DMATRIX *x)
UNUSED(material, const D3DMATERIAL9 *x)
UNUSED(light, DWORD i, const D3DLIGHT9 *x)
UNUSED(light_enable, DWORD i, WINBOOL x)
UNUSED(texture_stage, DWORD s, D3DTEXTURESTAGESTATETYPE t, DWORD v)
UNUSED(patches, FLOAT f)
UNUSED(vertex_format, DWORD f)

static HRESULT WINAPI render_state(Manager *m, D3DRENDERSTATETYPE s, DWORD v)
{
    printf("  render state %d %lu\n", s, v);
    return S_OK;
}

static HRESULT WINAPI set_texture(Manager *m, DWORD s, IDirect3DBaseTexture9 *t)
{
    printf("  texture %lu %s\n", s, t ? "set" : "null");
    return IDirect3DDevice9_SetTexture(device, s, (IDirect3DBaseTexture9 *)texture);
}

static HRESULT WINAPI sampler_state(Manager *m, DWORD s, D3DSAMPLERSTATETYPE t, DWORD v)
{
    printf("  sampler %lu state %d %lu\n", s, t, v);
    return IDirect3DDevice9_SetSamplerState(device, s, t, v);
}

static HRESULT WINAPI set_vertex(Manager *m, IDirect3DVertexShader9 *s) { return IDirect3DDevice9_SetVertexShader(device, vertex = s); }
static HRESULT WINAPI set_pixel(Manager *m, IDirect3DPixelShader9 *s) { return IDirect3DDevice9_SetPixelShader(device, s); }
#define CONSTANTS(name, type, set) \
    static HRESULT WINAPI name(Manager *m, UINT r, const type *d, UINT n) { return IDirect3DDevice9_Set##set(device, r, d, n); }
CONSTANTS(vertex_floats, FLOAT, VertexShaderConstantF)
CONSTANTS(vertex_ints, INT, VertexShaderConstantI)
CONSTANTS(vertex_bools, WINBOOL, VertexShaderConstantB)
CONSTANTS(pixel_floats, FLOAT, PixelShaderConstantF)
CONSTANTS(pixel_ints, INT, PixelShaderConstantI)
CONSTANTS(pixel_bools, WINBOOL, PixelShaderConstantB)

static ID3DXEffectStateManagerVtbl methods = {
    query, reference, reference, transform, material, light, light_enable, render_state, set_texture, texture_stage,
    sampler_state, patches, vertex_format, set_vertex, vertex_floats, vertex_ints, vertex_bools, set_pixel, pixel_floats,
    pixel_ints, pixel_bools,
};
static Manager manager = {&methods};

/* reset restores the states that earlier effects changed, and fills constants with other numbers. */
static void reset(int seed)
{
    static const struct { D3DSAMPLERSTATETYPE state; DWORD value; } defaults[] = {
        {D3DSAMP_ADDRESSU, D3DTADDRESS_WRAP}, {D3DSAMP_ADDRESSV, D3DTADDRESS_WRAP}, {D3DSAMP_ADDRESSW, D3DTADDRESS_WRAP},
        {D3DSAMP_BORDERCOLOR, 0}, {D3DSAMP_MAGFILTER, D3DTEXF_POINT}, {D3DSAMP_MINFILTER, D3DTEXF_POINT},
        {D3DSAMP_MIPFILTER, D3DTEXF_NONE}, {D3DSAMP_MIPMAPLODBIAS, 0}, {D3DSAMP_MAXMIPLEVEL, 0}, {D3DSAMP_MAXANISOTROPY, 1},
    };
    float f[4 * 256];
    for (int i = 0; i < 4 * 256; i++)
        f[i] = 3 * noise(7919u * (uint32_t)seed + (uint32_t)i) - 1.5f;
    IDirect3DDevice9_SetVertexShaderConstantF(device, 0, f, 256);
    IDirect3DDevice9_SetPixelShaderConstantF(device, 0, f, 224);
    for (DWORD s = 0; s <= D3DVERTEXTEXTURESAMPLER3; s = s == 15 ? D3DVERTEXTEXTURESAMPLER0 : s + 1) {
        for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
            IDirect3DDevice9_SetSamplerState(device, s, defaults[i].state, defaults[i].value);
        IDirect3DDevice9_SetTexture(device, s, (IDirect3DBaseTexture9 *)texture);
    }
    IDirect3DDevice9_SetVertexShader(device, vertex = NULL);
    IDirect3DDevice9_SetPixelShader(device, NULL);
}

/* ---- contents of an effect */

static void print_variable(ID3DXEffect *e, D3DXHANDLE p, const char *what)
{
    D3DXPARAMETER_DESC d;
    check("description", e->lpVtbl->GetParameterDesc(e, p, &d));
    printf("%s %s: %s class %d type %d %ux%u elements %u members %u flags %lu value", what, d.Name, d.Semantic ? d.Semantic : "-",
           d.Class, d.Type, d.Rows, d.Columns, d.Elements, d.StructMembers, d.Flags);
    if (d.Class <= D3DXPC_MATRIX_COLUMNS) {
        unsigned char *x = calloc(d.Bytes + 1, 1);
        check("value", e->lpVtbl->GetValue(e, p, x, d.Bytes));
        for (UINT i = 0; i < d.Bytes; i++)
            printf(" %x", x[i]);
        free(x);
    }
    printf("\n");
    for (UINT i = 0; i < d.Annotations; i++)
        print_variable(e, e->lpVtbl->GetAnnotation(e, p, i), "  annotation");
}

static void print_effect(ID3DXEffect *e, const D3DXEFFECT_DESC *d)
{
    for (UINT k = 0; k < d->Parameters; k++)
        print_variable(e, e->lpVtbl->GetParameter(e, NULL, k), "parameter");
    for (UINT t = 0; t < d->Techniques; t++) {
        D3DXHANDLE technique = e->lpVtbl->GetTechnique(e, t);
        D3DXTECHNIQUE_DESC td;
        check("technique", e->lpVtbl->GetTechniqueDesc(e, technique, &td));
        printf("technique %s valid %08lx\n", td.Name, e->lpVtbl->ValidateTechnique(e, technique));
        for (UINT i = 0; i < td.Annotations; i++)
            print_variable(e, e->lpVtbl->GetAnnotation(e, technique, i), "  annotation");
        for (UINT p = 0; p < td.Passes; p++) {
            D3DXPASS_DESC pd;
            check("pass", e->lpVtbl->GetPassDesc(e, e->lpVtbl->GetPass(e, technique, p), &pd));
            printf("  pass %s annotations %u\n", pd.Name, pd.Annotations);
        }
    }
}

/* ---- draws */

/* set_parameters sets all parameters at step 0, and some of them at every other step. */
static void set_parameters(ID3DXEffect *e, UINT count, int step)
{
    for (UINT k = 0; k < count; k++) {
        D3DXHANDLE p = e->lpVtbl->GetParameter(e, NULL, k);
        D3DXPARAMETER_DESC d;
        e->lpVtbl->GetParameterDesc(e, p, &d);
        uint32_t h = hash(d.Name);
        if (d.Class == D3DXPC_OBJECT && D3DXPT_TEXTURE <= d.Type && d.Type <= D3DXPT_TEXTURECUBE)
            check("texture", e->lpVtbl->SetTexture(e, p, (IDirect3DBaseTexture9 *)texture));
        if (!strcmp(d.Name, "Index"))
            check("index", e->lpVtbl->SetInt(e, p, step));
        else if (d.Class <= D3DXPC_MATRIX_COLUMNS && d.Type == D3DXPT_FLOAT && (step == 0 || h % (STEPS - 1) == (uint32_t)step - 1)) {
            UINT n = d.Bytes / 4;
            float *x = malloc(d.Bytes);
            for (UINT i = 0; i < n; i++) {
                x[i] = noise(h + 65537u * (uint32_t)step + i);
                if (d.Class >= D3DXPC_MATRIX_ROWS) /* near the identity, so that the picture is not empty */
                    x[i] = .2f * x[i] + (i % (d.Rows * d.Columns) % (d.Columns + 1) == 0);
            }
            check("value", e->lpVtbl->SetValue(e, p, x, d.Bytes));
            free(x);
        }
    }
}

/* attributes returns the vertex format of the vertex program's inputs, with four floats each. */
static int attributes(D3DVERTEXELEMENT9 *elements)
{
    static DWORD code[1 << 16];
    UINT size = sizeof code;
    int n = 0;
    check("program", IDirect3DVertexShader9_GetFunction(vertex, code, &size));
    for (const DWORD *t = code + 1; *t != 0xffff && n < MAX_ATTRS;) {
        int length = (*t & 0xffff) == D3DSIO_COMMENT ? *t >> 16 & 0x7fff : *t >> 24 & 15;
        if ((*t & 0xffff) == D3DSIO_DCL && (t[2] >> 28 & 7) == D3DSPR_INPUT && !(t[2] & 0x1800)) {
            elements[n] = (D3DVERTEXELEMENT9){0, 16 * n, D3DDECLTYPE_FLOAT4, 0, t[1] & 31, t[1] >> 16 & 15};
            n++;
        }
        t += 1 + length;
    }
    elements[n] = (D3DVERTEXELEMENT9)D3DDECL_END();
    return n;
}

static void draw(UINT technique, UINT pass, int step)
{
    D3DVERTEXELEMENT9 elements[MAX_ATTRS + 1];
    float mesh[CORNERS * MAX_ATTRS * 4], *at = mesh;
    if (!vertex) {
        printf("missed %u/%u/%d no vertex program\n", technique, pass, step);
        return;
    }
    int n = attributes(elements);
    for (int c = 0; c < CORNERS; c++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 4; k++) {
                float corner[4] = {c & 1 ? 1 : -1, c & 2 ? 1 : -1, .5f, 1};
                int is_position = elements[i].Usage == D3DDECLUSAGE_POSITION && !elements[i].UsageIndex;
                *at++ = is_position ? corner[k] : noise(1000u * elements[i].Usage + 100u * elements[i].UsageIndex + 10u * (uint32_t)c + (uint32_t)k);
            }
    IDirect3DVertexDeclaration9 *declaration;
    check("declaration", IDirect3DDevice9_CreateVertexDeclaration(device, elements, &declaration));
    IDirect3DDevice9_SetVertexDeclaration(device, declaration);
    IDirect3DDevice9_Clear(device, 0, NULL, D3DCLEAR_TARGET, 0, 1, 0);
    IDirect3DDevice9_BeginScene(device);
    IDirect3DQuery9_Issue(occlusion, D3DISSUE_BEGIN);
    check("draw", IDirect3DDevice9_DrawPrimitiveUP(device, D3DPT_TRIANGLESTRIP, 2, mesh, 16 * n));
    IDirect3DQuery9_Issue(occlusion, D3DISSUE_END);
    IDirect3DDevice9_EndScene(device);
    IDirect3DVertexDeclaration9_Release(declaration);

    DWORD covered = 0;
    while (IDirect3DQuery9_GetData(occlusion, &covered, sizeof covered, D3DGETDATA_FLUSH) == S_FALSE)
        Sleep(0);
    D3DLOCKED_RECT lock;
    check("target", IDirect3DDevice9_GetRenderTargetData(device, target, copy));
    check("lock", IDirect3DSurface9_LockRect(copy, &lock, NULL, D3DLOCK_READONLY));
    printf("drawn %u/%u/%d %lu", technique, pass, step, covered);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < 4 * SIDE; x++)
            printf(" %.9g", ((float *)((char *)lock.pBits + y * lock.Pitch))[x]);
    printf("\n");
    IDirect3DSurface9_UnlockRect(copy);
}

static void run(const char *path)
{
    ID3DXEffect *e;
    D3DXEFFECT_DESC d;
    HRESULT h = D3DXCreateEffectFromFileA(device, path, NULL, NULL, 0, NULL, &e, NULL);
    check("D3DXCreateEffect", h);
    if (FAILED(h))
        return;
    e->lpVtbl->GetDesc(e, &d);
    print_effect(e, &d);
    e->lpVtbl->SetStateManager(e, &manager);
    for (UINT t = 0; t < d.Techniques; t++) {
        UINT passes = 0;
        check("technique", e->lpVtbl->SetTechnique(e, e->lpVtbl->GetTechnique(e, t)));
        check("Begin", e->lpVtbl->Begin(e, &passes, D3DXFX_DONOTSAVESTATE));
        for (UINT p = 0; p < passes; p++)
            for (int step = 0; step < STEPS; step++) {
                set_parameters(e, d.Parameters, step);
                if (step % 2) /* stay in the pass */
                    check("CommitChanges", e->lpVtbl->CommitChanges(e));
                else {
                    if (step)
                        e->lpVtbl->EndPass(e);
                    check("BeginPass", e->lpVtbl->BeginPass(e, p));
                }
                draw(t, p, step);
                if (step == STEPS - 1)
                    e->lpVtbl->EndPass(e);
            }
        e->lpVtbl->End(e);
    }
    e->lpVtbl->Release(e);
}

static int open_device(void)
{
    IDirect3D9 *d3d = Direct3DCreate9(D3D_SDK_VERSION);
    HWND window = CreateWindowA("static", "effects", WS_OVERLAPPEDWINDOW, 0, 0, 64, 64, NULL, NULL, NULL, NULL);
    D3DPRESENT_PARAMETERS pp = {
        .Windowed = TRUE,
        .SwapEffect = D3DSWAPEFFECT_DISCARD,
        .hDeviceWindow = window,
        .BackBufferFormat = D3DFMT_X8R8G8B8,
        .BackBufferWidth = 64,
        .BackBufferHeight = 64,
    };
    D3DLOCKED_RECT lock;
    if (!d3d || FAILED(IDirect3D9_CreateDevice(d3d, 0, D3DDEVTYPE_HAL, window, D3DCREATE_HARDWARE_VERTEXPROCESSING, &pp, &device)) ||
        FAILED(IDirect3DDevice9_CreateRenderTarget(device, SIDE, SIDE, D3DFMT_A32B32G32R32F, 0, 0, 0, &target, NULL)) ||
        FAILED(IDirect3DDevice9_CreateOffscreenPlainSurface(device, SIDE, SIDE, D3DFMT_A32B32G32R32F, D3DPOOL_SYSTEMMEM, &copy, NULL)) ||
        FAILED(IDirect3DDevice9_CreateTexture(device, TEXELS, TEXELS, 1, 0, D3DFMT_A32B32G32R32F, D3DPOOL_MANAGED, &texture, NULL)) ||
        FAILED(IDirect3DDevice9_CreateQuery(device, D3DQUERYTYPE_OCCLUSION, &occlusion)) ||
        FAILED(IDirect3DTexture9_LockRect(texture, 0, &lock, NULL, 0)))
        return 0;
    for (int y = 0; y < TEXELS; y++)
        for (int x = 0; x < 4 * TEXELS; x++)
            ((float *)((char *)lock.pBits + y * lock.Pitch))[x] = noise((uint32_t)(4 * TEXELS * y + x));
    IDirect3DTexture9_UnlockRect(texture, 0);
    IDirect3DDevice9_SetRenderTarget(device, 0, target);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_NONE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ZENABLE, FALSE);
    return 1;
}

int main(int argc, char **argv)
{
    static char line[8 * MAX_PATH];
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!list || !open_device()) {
        fprintf(stderr, "effects: no list, or no Direct3D 9 device\n");
        return 1;
    }
    for (int i = 0; fgets(line, sizeof line, list); i++) {
        line[strcspn(line, "\r\n")] = 0;
        printf("file %d\n", i);
        reset(i);
        run(line);
        fflush(stdout);
    }
    puts("end");
    fflush(stdout);
    return 0;
}
