/*
 * What gateways see of MATLAB (mex.h) and S-functions of Simulink (simstruc.h), as far as generated sources use it; written for tests,
 * by the documentation. Below: programs that call gateways and S-functions by lines of their input, and print numbers.
 */
#ifndef MATLAB_STUBS_H
#define MATLAB_STUBS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef size_t mwSize;
typedef enum { mxUNKNOWN_CLASS, mxSTRUCT_CLASS, mxCHAR_CLASS, mxDOUBLE_CLASS, mxSINGLE_CLASS, mxUINT8_CLASS } mxClassID;
typedef enum { mxREAL, mxCOMPLEX } mxComplexity;
typedef struct mxArray {
  mxClassID kind;
  mwSize depth, size[3];
  double *numbers;
  char *text; /* of characters, and bytes */
  int fields;
  char *names[64];
  struct mxArray *values[64];
} mxArray;

static jmp_buf stub_failed;

static void mexErrMsgIdAndTxt(const char *id, const char *format, ...)
{
  va_list all;
  printf("%s|", id);
  va_start(all, format);
  vprintf(format, all);
  va_end(all);
  longjmp(stub_failed, 1);
}

static mwSize mxGetNumberOfElements(const mxArray *own)
{
  mwSize k, count = 1;
  for (k = 0; k < own->depth; k++)
    count *= own->size[k];
  return count;
}
static mxArray *mxCreateNumericArray(mwSize depth, const mwSize *size, mxClassID kind, mxComplexity complexity)
{
  mxArray *const own = (mxArray *)calloc(1, sizeof *own);
  (void)complexity;
  own->kind = kind;
  memcpy(own->size, size, depth * sizeof *size);
  while (depth > 2 && size[depth - 1] == 1)
    depth--;
  own->depth = depth;
  own->numbers = (double *)calloc(mxGetNumberOfElements(own) + 1, sizeof(double));
  own->text = (char *)calloc(mxGetNumberOfElements(own) + 1, 1);
  return own;
}
static mxArray *mxCreateNumericMatrix(mwSize m, mwSize n, mxClassID kind, mxComplexity complexity)
{
  const mwSize size[2] = {m, n};
  return mxCreateNumericArray(2, size, kind, complexity);
}
static mxArray *mxCreateDoubleMatrix(mwSize m, mwSize n, mxComplexity complexity)
{
  return mxCreateNumericMatrix(m, n, mxDOUBLE_CLASS, complexity);
}
static mxArray *mxCreateStructMatrix(mwSize m, mwSize n, int fields, const char **names)
{
  (void)fields, (void)names;
  return mxCreateNumericMatrix(m, n, mxSTRUCT_CLASS, mxREAL);
}
static int mxIsDouble(const mxArray *own) { return own->kind == mxDOUBLE_CLASS; }
static int mxIsUint8(const mxArray *own) { return own->kind == mxUINT8_CLASS; }
static int mxIsStruct(const mxArray *own) { return own->kind == mxSTRUCT_CLASS; }
static int mxIsChar(const mxArray *own) { return own->kind == mxCHAR_CLASS; }
static int mxIsComplex(const mxArray *own) { return (void)own, 0; }
static int mxIsSparse(const mxArray *own) { return (void)own, 0; }
static int mxIsEmpty(const mxArray *own) { return mxGetNumberOfElements(own) == 0; }
static const char *mxGetClassName(const mxArray *own)
{
  static const char *const names[] = {"unknown", "struct", "char", "double", "single", "uint8"};
  return names[own->kind];
}
static const mwSize *mxGetDimensions(const mxArray *own) { return own->size; }
static mwSize mxGetNumberOfDimensions(const mxArray *own) { return own->depth; }
static double *mxGetPr(const mxArray *own) { return own->numbers; }
static void *mxGetData(const mxArray *own) { return own->kind == mxUINT8_CLASS ? (void *)own->text : (void *)own->numbers; }
static double mxGetScalar(const mxArray *own) { return own->numbers[0]; }
static char *mxArrayToString(const mxArray *own)
{
  char *const text = (char *)calloc(strlen(own->text) + 1, 1);
  return strcpy(text, own->text);
}
static void *mxCalloc(size_t count, size_t size) { return calloc(count, size); }
static void mxFree(void *own) { free(own); }
static int mxGetNumberOfFields(const mxArray *own) { return own->fields; }
static const char *mxGetFieldNameByNumber(const mxArray *own, int k) { return own->names[k]; }
static mxArray *mxGetFieldByNumber(const mxArray *own, mwSize index, int k) { return (void)index, own->values[k]; }
static int mxGetFieldNumber(const mxArray *own, const char *name)
{
  int k;
  for (k = 0; k < own->fields; k++)
    if (strcmp(own->names[k], name) == 0)
      return k;
  return -1;
}
static mxArray *mxGetField(const mxArray *own, mwSize index, const char *name)
{
  const int k = mxGetFieldNumber(own, name);
  return (void)index, k < 0 ? NULL : own->values[k];
}
static int mxAddField(mxArray *own, const char *name)
{
  own->names[own->fields] = strcpy((char *)calloc(strlen(name) + 1, 1), name);
  return own->fields++;
}
static void mxSetField(mxArray *own, mwSize index, const char *name, mxArray *value)
{
  (void)index;
  own->values[mxGetFieldNumber(own, name)] = value;
}

/* ---------------------------------------------------------------------------------------------- input of the programs */

static char stub_word[256];
static const char *stub_next(void)
{
  return scanf("%255s", stub_word) == 1 ? stub_word : NULL;
}
static double stub_number(void)
{
  return strtod(stub_next(), NULL);
}
/* `M m n numbers`, `P m n k numbers`, `S text`, `F name value … end`: a structure. */
static mxArray *stub_read(void)
{
  const char kind = *stub_next();
  mwSize size[3] = {1, 1, 1}, k;
  mxArray *own;
  if (kind == 'S') {
    own = mxCreateNumericMatrix(1, 255, mxCHAR_CLASS, mxREAL);
    strcpy(own->text, stub_next());
    return own;
  }
  if (kind == 'F') {
    own = mxCreateStructMatrix(1, 1, 0, NULL);
    while (strcmp(stub_next(), "end") != 0) {
      const int field = mxAddField(own, stub_word);
      own->values[field] = stub_read();
    }
    return own;
  }
  for (k = 0; k < (kind == 'P' ? 3u : 2u); k++)
    size[k] = (mwSize)stub_number();
  own = mxCreateNumericArray(kind == 'P' ? 3 : 2, size, kind == 'X' ? mxSINGLE_CLASS : mxDOUBLE_CLASS, mxREAL);
  for (k = 0; k < mxGetNumberOfElements(own); k++)
    own->numbers[k] = stub_number();
  return own;
}

#ifndef S_FUNCTION_NAME
void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]);

/* Fields by name, then numbers. */
static void stub_print(const mxArray *own)
{
  mwSize k;
  int i;
  for (i = 0; i < own->fields; i++) {
    printf(" %s", own->names[i]);
    stub_print(own->values[i]);
  }
  if (own->kind != mxDOUBLE_CLASS)
    return;
  for (k = 0; k < own->depth; k++)
    printf("%s%d", k == 0 ? " [" : "x", (int)own->size[k]);
  printf("]");
  for (k = 0; k < mxGetNumberOfElements(own); k++)
    printf(" %a", own->numbers[k]);
}

/* A line: how many results, how many arguments, these; `K`: the structure that was found last, with `= GROUP FIELD NUMBER` changed. */
int main(void)
{
  static const mxArray *given[32];
  static mxArray *found[32], *kept = NULL;
  static int results, count, k;
  while (stub_next() != NULL) {
    results = atoi(stub_word);
    count = (int)stub_number();
    for (k = 0; k < count; k++) {
      const int at = getchar() == ' ' ? getchar() : 0;
      if (at == 'K') {
        given[k] = kept;
        continue;
      }
      ungetc(at, stdin);
      given[k] = stub_read();
    }
    memset(found, 0, sizeof found);
    if (setjmp(stub_failed) == 0) {
      mexFunction(results, found, count, given);
      for (k = 0; k < results || k == 0; k++)
        if (found[k] != NULL) {
          stub_print(found[k]);
          kept = found[k]->kind == mxSTRUCT_CLASS ? found[k] : kept;
        }
    }
    puts("");
  }
  return 0;
}
#endif
#endif
