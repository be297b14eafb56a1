/*
 * Two elastic segments let go across gravity, by IDA of SUNDIALS (6 and later) on the equations of motion as they are:
 * prints the time, coordinates and rates after a second. examples/scenarios/swing.scenario.yaml has the same motion.
 */
#include "swing.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { N = SWING_NQ };

/* y = (q, qd): qd - dq/dt, and what M qdd + c + g + elastic + damping leaves of the loads, here none. */
static int residual(double t, N_Vector y, N_Vector slope, N_Vector left, void *workspace)
{
  const double *const state = N_VGetArrayPointer(y);
  const double *const rate = N_VGetArrayPointer(slope);
  double *const out = N_VGetArrayPointer(left);
  kg_status status = swing_update(workspace, &swing_defaults, state, state + N);
  int i;
  (void)t;
  if (status == KG_OK)
    status = swing_active_inverse_dynamics(workspace, rate + N, out + N);
  for (i = 0; i < N; i++)
    out[i] = rate[i] - state[N + i];
  return status == KG_OK ? 0 : 1; /* 1: IDA tries a shorter step */
}

int main(void)
{
  static swing_workspace workspace;
  const double end = 1.0, no_load[N] = {0.0};
  double t = 0.0;
  SUNContext context;
  N_Vector y, slope;
  SUNMatrix matrix;
  SUNLinearSolver solver;
  void *memory;
  int i, flag;
  if (SUNContext_Create(NULL, &context) != 0)
    return 1;
  y = N_VNew_Serial(2 * N, context);
  slope = N_VNew_Serial(2 * N, context);
  N_VConst(0.0, y);
  N_VConst(0.0, slope);
  /* The first slope has to agree with the state. */
  swing_update(&workspace, &swing_defaults, N_VGetArrayPointer(y), N_VGetArrayPointer(y) + N);
  if (swing_forward_dynamics(&workspace, no_load, N_VGetArrayPointer(slope) + N) != KG_OK)
    return 1;
  memory = IDACreate(context);
  matrix = SUNDenseMatrix(2 * N, 2 * N, context);
  solver = SUNLinSol_Dense(y, matrix, context);
  IDAInit(memory, residual, t, y, slope);
  IDASetUserData(memory, &workspace);
  IDASStolerances(memory, 1e-9, 1e-10);
  IDASetLinearSolver(memory, solver, matrix);
  IDASetMaxNumSteps(memory, 100000);
  IDASetStopTime(memory, end);
  flag = IDASolve(memory, end, &t, y, slope, IDA_NORMAL);
  printf("%.12g", t);
  for (i = 0; i < 2 * N; i++)
    printf(" %.12g", NV_Ith_S(y, i));
  printf("\n");
  IDAFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  N_VDestroy(slope);
  SUNContext_Free(&context);
  return flag < 0;
}
