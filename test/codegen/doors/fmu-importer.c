/*
 * An importer of FMUs, FMI 2.0 and 3.0, that carries out commands from standard input, one a line, and prints a line for each: the
 * status (0: OK), then numbers. Several instances of several FMUs live in it at once, by number. Its declarations are its own.
 *
 *   open INSTANCE VERSION LIBRARY TOKEN me|cs     start INSTANCE TIME          set INSTANCE VARIABLE VALUE
 *   get INSTANCE VARIABLE                         slope INSTANCE               states INSTANCE
 *   run INSTANCE END STEPS                        save INSTANCE                restore INSTANCE
 *   along INSTANCE UNKNOWN KNOWN                  reset INSTANCE               close INSTANCE
 *
 * run: by steps of the classical Runge-Kutta method (model exchange), or of the FMU (co-simulation). save, restore: as bytes.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef struct {
  void *library, *own;
  int version, steps;
  double time, saved_time;
  size_t states;
  char *saved;
  size_t size;
} instance;

static instance all[8];

static void (*symbol(const instance *m, const char *name))(void)
{
  char full[100];
  void *found;
  void (*function)(void);
  snprintf(full, sizeof full, "fmi%d%s", m->version, name);
  found = dlsym(m->library, full);
  if (found == NULL) {
    fprintf(stderr, "%s is missing\n", full);
    exit(1);
  }
  memcpy(&function, &found, sizeof function);
  return function;
}

static void report2(void *environment, const char *name, int status, const char *category, const char *message, ...)
{
  va_list rest;
  (void)environment;
  va_start(rest, message);
  fprintf(stderr, "%s %d %s ", name, status, category);
  vfprintf(stderr, message, rest);
  fprintf(stderr, "\n");
  va_end(rest);
}

static void report3(void *environment, int status, const char *category, const char *message)
{
  (void)environment;
  fprintf(stderr, "%d %s %s\n", status, category, message);
}

typedef struct {
  void (*log)(void *, const char *, int, const char *, const char *, ...);
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, int);
  void *environment;
} callbacks;

static const callbacks calls = {report2, calloc, free, NULL, NULL};

static int plain(const instance *m, const char *name)
{
  return ((int (*)(void *))symbol(m, name))(m->own);
}

static int open_instance(instance *m, const char *library, const char *token, int steps)
{
  m->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (m->library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  m->steps = steps;
  if (m->version == 2)
    m->own = ((void *(*)(const char *, int, const char *, const char *, const callbacks *, int, int))symbol(
        m, "Instantiate"))("it", steps, token, "", &calls, 0, 1);
  else if (steps)
    m->own = ((void *(*)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
                         void (*)(void *, int, const char *, const char *), void *))symbol(m, "InstantiateCoSimulation"))(
        "it", token, NULL, false, true, false, false, NULL, 0, NULL, report3, NULL);
  else
    m->own = ((void *(*)(const char *, const char *, const char *, bool, bool, void *,
                         void (*)(void *, int, const char *, const char *)))symbol(m, "InstantiateModelExchange"))(
        "it", token, NULL, false, true, NULL, report3);
  return m->own == NULL;
}

static int start(instance *m, double time)
{
  int status = 0;
  m->time = time;
  if (m->version == 2) {
    status |= ((int (*)(void *, int, double, double, int, double))symbol(m, "SetupExperiment"))(m->own, 0, 0.0, time, 0, 0.0);
    status |= plain(m, "EnterInitializationMode");
  } else
    status |= ((int (*)(void *, bool, double, double, bool, double))symbol(m, "EnterInitializationMode"))(
        m->own, false, 0.0, time, false, 0.0);
  status |= plain(m, "ExitInitializationMode");
  if (m->steps)
    return status;
  if (m->version == 2) {
    struct {
      int again, end, nominals, values, next_defined;
      double next;
    } events;
    status |= ((int (*)(void *, void *))symbol(m, "NewDiscreteStates"))(m->own, &events);
    status |= events.again || events.end;
  } else {
    bool flags[5];
    double next;
    status |= ((int (*)(void *, bool *, bool *, bool *, bool *, bool *, double *))symbol(m, "UpdateDiscreteStates"))(
        m->own, flags, flags + 1, flags + 2, flags + 3, flags + 4, &next);
    status |= flags[0] || flags[1];
  }
  return status | plain(m, "EnterContinuousTimeMode");
}

static int set(const instance *m, uint32_t variable, double value)
{
  if (m->version == 2)
    return ((int (*)(void *, const unsigned *, size_t, const double *))symbol(m, "SetReal"))(m->own, &variable, 1, &value);
  return ((int (*)(void *, const uint32_t *, size_t, const double *, size_t))symbol(m, "SetFloat64"))(
      m->own, &variable, 1, &value, 1);
}

static int get(const instance *m, uint32_t variable, double *value)
{
  if (m->version == 2)
    return ((int (*)(void *, const unsigned *, size_t, double *))symbol(m, "GetReal"))(m->own, &variable, 1, value);
  return ((int (*)(void *, const uint32_t *, size_t, double *, size_t))symbol(m, "GetFloat64"))(m->own, &variable, 1, value, 1);
}

static int slope_of(const instance *m, double *slope)
{
  const char *const name = m->version == 2 ? "GetDerivatives" : "GetContinuousStateDerivatives";
  return ((int (*)(void *, double *, size_t))symbol(m, name))(m->own, slope, m->states);
}

static int states_of(const instance *m, double *x)
{
  return ((int (*)(void *, double *, size_t))symbol(m, "GetContinuousStates"))(m->own, x, m->states);
}

static int move(const instance *m, double time, const double *x, double *slope)
{
  int status = ((int (*)(void *, double))symbol(m, "SetTime"))(m->own, time);
  status |= ((int (*)(void *, const double *, size_t))symbol(m, "SetContinuousStates"))(m->own, x, m->states);
  return status | slope_of(m, slope);
}

static int integrate(instance *m, double end, int steps)
{
  const double begin = m->time, h = (end - begin) / steps;
  double x[MOST], at[MOST], k[4][MOST];
  int status = states_of(m, x), step, s;
  size_t i;
  for (step = 0; step < steps && status == 0; step++) {
    const double t = begin + h * step;
    const double part[4] = {0.0, 0.5, 0.5, 1.0};
    for (s = 0; s < 4; s++) {
      for (i = 0; i < m->states; i++)
        at[i] = x[i] + (s > 0 ? part[s] * h * k[s - 1][i] : 0.0);
      status |= move(m, t + part[s] * h, at, k[s]);
    }
    for (i = 0; i < m->states; i++)
      x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    status |= move(m, step + 1 == steps ? end : t + h, x, k[0]);
    if (m->version == 2) {
      int event, terminate;
      status |= ((int (*)(void *, int, int *, int *))symbol(m, "CompletedIntegratorStep"))(m->own, 1, &event, &terminate);
    } else {
      bool event, terminate;
      status |= ((int (*)(void *, bool, bool *, bool *))symbol(m, "CompletedIntegratorStep"))(m->own, true, &event, &terminate);
    }
  }
  m->time = end;
  return status;
}

static int communicate(instance *m, double end, int steps)
{
  const double begin = m->time, h = (end - begin) / steps;
  int status = 0, step;
  for (step = 0; step < steps && status == 0; step++) {
    const double t = begin + h * step;
    if (m->version == 2)
      status = ((int (*)(void *, double, double, int))symbol(m, "DoStep"))(m->own, t, h, 0);
    else {
      bool event, terminate, early;
      double last = 0.0;
      status = ((int (*)(void *, double, double, bool, bool *, bool *, bool *, double *))symbol(m, "DoStep"))(
          m->own, t, h, false, &event, &terminate, &early, &last);
      if (status == 0)
        status = event || terminate || early || last != t + h;
    }
  }
  m->time = end;
  return status;
}

static int save(instance *m)
{
  void *state = NULL;
  int status;
  m->saved_time = m->time;
  status = ((int (*)(void *, void **))symbol(m, m->version == 2 ? "GetFMUstate" : "GetFMUState"))(m->own, &state);
  status |= ((int (*)(void *, void *, size_t *))symbol(m, m->version == 2 ? "SerializedFMUstateSize" : "SerializedFMUStateSize"))(
      m->own, state, &m->size);
  m->saved = (char *)realloc(m->saved, m->size);
  status |= ((int (*)(void *, void *, char *, size_t))symbol(m, m->version == 2 ? "SerializeFMUstate" : "SerializeFMUState"))(
      m->own, state, m->saved, m->size);
  return status | ((int (*)(void *, void **))symbol(m, m->version == 2 ? "FreeFMUstate" : "FreeFMUState"))(m->own, &state) |
         (state != NULL);
}

/* From what `from` saved. */
static int restore(instance *m, const instance *from)
{
  void *state = NULL;
  int status = ((int (*)(void *, const char *, size_t, void **))symbol(
      m, m->version == 2 ? "DeSerializeFMUstate" : "DeserializeFMUState"))(m->own, from->saved, from->size, &state);
  if (status != 0)
    return status;
  status |= ((int (*)(void *, void *))symbol(m, m->version == 2 ? "SetFMUstate" : "SetFMUState"))(m->own, state);
  m->time = from->saved_time;
  return status | ((int (*)(void *, void **))symbol(m, m->version == 2 ? "FreeFMUstate" : "FreeFMUState"))(m->own, &state);
}

static int along(const instance *m, uint32_t unknown, uint32_t known, double *change)
{
  const double seed = 1.0;
  if (m->version == 2)
    return ((int (*)(void *, const unsigned *, size_t, const unsigned *, size_t, const double *, double *))symbol(
        m, "GetDirectionalDerivative"))(m->own, &unknown, 1, &known, 1, &seed, change);
  return ((int (*)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t, double *, size_t))symbol(
      m, "GetDirectionalDerivative"))(m->own, &unknown, 1, &known, 1, &seed, 1, change, 1);
}

int main(void)
{
  char line[1000], word[20], library[500], token[100], kind[10];
  while (fgets(line, sizeof line, stdin) != NULL) {
    int which, version, steps, status = -1, other, used = 0;
    unsigned variable, known;
    double value, values[MOST] = {0};
    size_t count = 0, i;
    instance *m;
    if (sscanf(line, "%19s %d%n", word, &which, &used) != 2)
      return 1;
    m = all + which;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line + used, "%d %499s %99s %9s", &version, library, token, kind) == 4 && strcmp(word, "open") == 0) {
      m->version = version;
      status = open_instance(m, library, token, strcmp(kind, "cs") == 0);
    } else if (strcmp(word, "size") == 0)
      status = sscanf(line + used, "%zu", &m->states) != 1;
    else if (strcmp(word, "start") == 0 && sscanf(line + used, "%lf", &value) == 1)
      status = start(m, value);
    else if (strcmp(word, "set") == 0 && sscanf(line + used, "%u %lf", &variable, &value) == 2)
      status = set(m, variable, value);
    else if (strcmp(word, "get") == 0 && sscanf(line + used, "%u", &variable) == 1)
      status = get(m, variable, values), count = 1;
    else if (strcmp(word, "slope") == 0)
      status = slope_of(m, values), count = m->states;
    else if (strcmp(word, "states") == 0)
      status = states_of(m, values), count = m->states;
    else if (strcmp(word, "run") == 0 && sscanf(line + used, "%lf %d", &value, &steps) == 2)
      status = m->steps ? communicate(m, value, steps) : integrate(m, value, steps);
    else if (strcmp(word, "save") == 0)
      status = save(m);
    else if (strcmp(word, "restore") == 0 && sscanf(line + used, "%d", &other) == 1)
      status = restore(m, all + other);
    else if (strcmp(word, "along") == 0 && sscanf(line + used, "%u %u", &variable, &known) == 2)
      status = along(m, variable, known, values), count = 1;
    else if (strcmp(word, "reset") == 0)
      status = plain(m, "Reset");
    else if (strcmp(word, "close") == 0) {
      ((void (*)(void *))symbol(m, "FreeInstance"))(m->own);
      status = 0;
    }
    printf("%d", status);
    for (i = 0; i < count; i++)
      printf(" %.17g", values[i]);
    printf("\n");
    fflush(stdout);
  }
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
    free(all[k].saved);
  return 0;
}
