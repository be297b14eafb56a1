#define main main_old_unused
#include "y.c"
#undef main
#include "n6/c/planar_cc_6_straight.h"
int main(void){ int N=6; d q[6],qd[6],qdd[6],tau[6],tau2[6]; for(int i=0;i<N;i++){q[i]=qd[i]=qdd[i]=1;} d L=.2,R=.02,m=1062*M_PI*R*R*L;
 id(N,L,R,m,9.81,q,qd,qdd,tau); planar_cc_6_straight_inverse_dynamics(q,qd,qdd,tau2); double e=0; for(int i=0;i<N;i++){double x=fabs(tau[i]-tau2[i]); if(x>e)e=x;} printf("diff %g of %g\n",e,tau[0]);
 double best1=1e9,best2=1e9,s=0; int K=20000; for(int r=0;r<15;r++){ struct timespec a,b; 
 clock_gettime(CLOCK_MONOTONIC,&a); for(int k=0;k<K;k++){q[0]=1+1e-9*k; id(N,L,R,m,9.81,q,qd,qdd,tau); s+=tau[0];} clock_gettime(CLOCK_MONOTONIC,&b); double t=((b.tv_sec-a.tv_sec)*1e9+(b.tv_nsec-a.tv_nsec))/K; if(t<best1)best1=t;
 clock_gettime(CLOCK_MONOTONIC,&a); for(int k=0;k<K;k++){q[0]=1+1e-9*k; planar_cc_6_straight_inverse_dynamics(q,qd,qdd,tau2); s+=tau2[0];} clock_gettime(CLOCK_MONOTONIC,&b); t=((b.tv_sec-a.tv_sec)*1e9+(b.tv_nsec-a.tv_nsec))/K; if(t<best2)best2=t; }
 printf("N=6 yardstick %.1f ns, straight %.1f ns, ratio %.3f (%g)\n",best1,best2,best2/best1,s); }
