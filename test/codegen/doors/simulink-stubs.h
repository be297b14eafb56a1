/* What S-functions see of Simulink (simstruc.h), as far as generated sources use it; written for tests, by the documentation. */
#include "matlab-stubs.h"

typedef double real_T;
typedef int int_T;
#define SS_DOUBLE 0
#define SS_OPTION_EXCEPTION_FREE_CODE 1
#define CONTINUOUS_SAMPLE_TIME 0.0

typedef struct {
  mxArray *parameters[8];
  int given, expected, states, inputs, outputs, works;
  int in_width[16], out_width[16], fed[16], contiguous[16], fixed[8];
  double *in[16], *out[16], *x, *dx, *work;
  double time, period, offset;
  const char *error;
} SimStruct;

#define ssGetDWork(S, i) ((void *)(S)->work)
#define ssGetSFcnParam(S, i) ((const mxArray *)(S)->parameters[i])
#define ssGetT(S) ((S)->time)
#define ssSetErrorStatus(S, text) ((S)->error = (text))
#define ssGetErrorStatus(S) ((S)->error)
#define ssSetNumSFcnParams(S, n) ((S)->expected = (n))
#define ssGetNumSFcnParams(S) ((S)->expected)
#define ssGetSFcnParamsCount(S) ((S)->given)
#define ssSetSFcnParamTunable(S, i, own) ((S)->fixed[i] = !(own))
#define ssSetNumContStates(S, n) ((S)->states = (n))
#define ssSetNumDiscStates(S, n) ((void)(n))
#define ssSetNumInputPorts(S, n) ((S)->inputs = (n), 1)
#define ssSetInputPortWidth(S, i, n) ((S)->in_width[i] = (n))
#define ssSetInputPortRequiredContiguous(S, i, own) ((S)->contiguous[i] = (own))
#define ssSetInputPortDirectFeedThrough(S, i, own) ((S)->fed[i] = (own))
#define ssSetNumOutputPorts(S, n) ((S)->outputs = (n), 1)
#define ssSetOutputPortWidth(S, i, n) ((S)->out_width[i] = (n))
#define ssSetNumSampleTimes(S, n) ((void)(n))
#define ssSetSampleTime(S, i, own) ((S)->period = (own))
#define ssSetOffsetTime(S, i, own) ((S)->offset = (own))
#define ssSetNumDWork(S, n) ((void)(n))
#define ssSetDWorkWidth(S, i, n) ((S)->works = (n))
#define ssSetDWorkDataType(S, i, own) ((void)(own))
#define ssSetOptions(S, own) ((void)(own))
#define ssGetInputPortRealSignal(S, i) ((const real_T *)(S)->in[i])
#define ssGetOutputPortRealSignal(S, i) ((S)->out[i])
#define ssGetContStates(S) ((S)->x)
#define ssGetdX(S) ((S)->dx)
