/*
 * What stands at the end of an S-function in place of simulink.c: a program that calls it as Simulink does. Its input: how many
 * parameters, these; then lines `TIME inputs`, of continuous blocks `TIME states inputs`. A line of its output: outputs, then derivatives.
 */
static double *stub_numbers(int count)
{
  return (double *)calloc((size_t)count + 1, sizeof(double));
}

int main(void)
{
  static SimStruct own;
  SimStruct *const S = &own;
  int i, k;
  S->given = (int)stub_number();
  for (k = 0; k < S->given; k++)
    S->parameters[k] = stub_read();
  mdlInitializeSizes(S);
  printf("%d %d |", S->given, S->expected);
  if (S->error != NULL || S->given != S->expected) {
    puts(S->error == NULL ? "parameters" : S->error);
    return 0;
  }
  mdlInitializeSampleTimes(S);
  printf(" %g %g, states %d, inputs", S->period, S->offset, S->states);
  for (i = 0; i < S->inputs; i++) {
    printf(" %d%s", S->in_width[i], S->fed[i] ? "" : " late");
    S->in[i] = stub_numbers(S->in_width[i]);
    if (!S->contiguous[i])
      printf(" apart");
  }
  printf(", outputs");
  for (i = 0; i < S->outputs; i++) {
    printf(" %d", S->out_width[i]);
    S->out[i] = stub_numbers(S->out_width[i]);
  }
  puts("");
  S->x = stub_numbers(S->states);
  S->dx = stub_numbers(S->states);
  S->work = stub_numbers(S->works);
  mdlInitializeConditions(S);
  for (k = 0; k < S->states; k++)
    printf(" %a", S->x[k]);
  while (puts(""), stub_next() != NULL) {
    S->time = strtod(stub_word, NULL);
    S->error = NULL;
    for (k = 0; k < S->states; k++)
      S->x[k] = stub_number();
    for (i = 0; i < S->inputs; i++)
      for (k = 0; k < S->in_width[i]; k++)
        S->in[i][k] = stub_number();
    mdlOutputs(S, 0);
    for (i = 0; i < S->outputs; i++)
      for (k = 0; k < S->out_width[i]; k++)
        printf(" %a", S->out[i][k]);
#ifdef MDL_DERIVATIVES
    mdlDerivatives(S);
    for (k = 0; k < S->states; k++)
      printf(" %a", S->dx[k]);
#endif
    if (S->error != NULL)
      printf("|%s", S->error);
  }
  mdlTerminate(S);
  return 0;
}
