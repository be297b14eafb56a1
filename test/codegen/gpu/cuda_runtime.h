/*
 * Stands in for the toolkit of CUDA. clang compiles kernels for a device with it; other compilers of C++ make loops of them, with KG_LAUNCH in
 * place of the signs of a launch.
 */
#pragma once
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef int cudaError_t;
enum { cudaSuccess = 0 };
typedef struct stream *cudaStream_t;
struct kg_place {
  unsigned int x;
};

#ifdef __CUDA__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
struct dim3 {
  unsigned int x, y, z;
  dim3(unsigned int own) : x(own), y(1), z(1) {}
};
cudaError_t cudaGetLastError();
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
#define threadIdx (kg_place{(unsigned int)__nvvm_read_ptx_sreg_tid_x()})
#define blockIdx (kg_place{(unsigned int)__nvvm_read_ptx_sreg_ctaid_x()})
#define blockDim (kg_place{(unsigned int)__nvvm_read_ptx_sreg_ntid_x()})
#define memcpy __builtin_memcpy
#define ONE(name) __device__ double name(double); __device__ float name##f(float);
#define TWO(name) __device__ double name(double, double); __device__ float name##f(float, float);
ONE(sqrt) ONE(fabs) ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(exp) ONE(log)
TWO(atan2) TWO(pow)
__device__ double fma(double, double, double);
__device__ float fmaf(float, float, float);
#else
#define __device__
#define __global__
static thread_local kg_place threadIdx, blockIdx, blockDim;
static inline cudaError_t cudaGetLastError()
{
  return cudaSuccess;
}
#define KG_LAUNCH(kernel, blocks, threads, ...)                                                                        \
  for (blockDim.x = (threads), blockIdx.x = 0; blockIdx.x < (blocks); blockIdx.x++)                                    \
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)                                                     \
      kernel(__VA_ARGS__);
#endif
