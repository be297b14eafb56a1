// Prototype: planar CC arm inverse dynamics, Stumpff closed forms, planar Kane recursion (what a whole-robot specialisation should reach).
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <stdlib.h>
typedef double d;
static inline void stumpff(d x, d c[10]){
  if(x<9.87){
    d x2=x*x; c[8]=(2.48015873015873016e-05+x2*(2.08767569878681002e-09+x2*(4.77947733238738525e-14+x2*(4.11031762331216484e-19+x2*(1.61173757109611839e-24+x2*(3.27988923706983776e-30+x2*3.80039075485474342e-36))))))+x*(-2.75573192239858883e-07+x2*(-1.14707455977297245e-11+x2*(-1.56192069685862253e-16+x2*(-8.89679139245057408e-22+x2*(-2.47959626322479759e-27+x2*-3.76998762881590539e-33))))); c[9]=(2.75573192239858925e-06+x2*(1.60590438368216133e-10+x2*(2.81145725434552060e-15+x2*(1.95729410633912626e-20+x2*(6.44695028438447359e-26+x2*(1.13099628864477159e-31+x2*1.15163356207719509e-37))))))+x*(-2.50521083854417202e-08+x2*(-7.64716373181981641e-13+x2*(-8.22063524662432950e-18+x2*(-3.86817017063068413e-23+x2*(-9.18368986379554601e-29+x2*-1.21612504155351789e-34)))));
    c[7]=1./5040-x*c[9]; c[6]=1./720-x*c[8]; c[5]=1./120-x*c[7]; c[4]=1./24-x*c[6];
    c[3]=1./6-x*c[5]; c[2]=.5-x*c[4]; c[1]=1-x*c[3]; c[0]=1-x*c[2];
  } else { d t=sqrt(x); c[0]=cos(t);c[1]=sin(t)/t; d r=1/x; c[2]=(1-c[0])*r;c[3]=(1-c[1])*r;c[4]=(.5-c[2])*r;c[5]=(1./6-c[3])*r;c[6]=(1./24-c[4])*r;c[7]=(1./120-c[5])*r;c[8]=(1./720-c[6])*r;c[9]=(1./5040-c[7])*r; }
}
void id(int N,d L,d R,d m,d g,const d*q,const d*qd,const d*qdd,d*tau){
  d ax=0,az=g,w=0,al=0; // base acceleration = -gravity, gravity along -z => +g
  d ws[N][12];
  for(int i=0;i<N;i++){ d a=q[i],ad=qd[i],add=qdd[i],x=a*a; d c[10]; stumpff(x,c);
    // dc_n/dx = .5*(n c_{n+2}-c_{n+1})
    #define D1(n) (.5*((n)*c[(n)+2]-c[(n)+1]))
    #define D2(n) (.5*((n)*(.5*(((n)+2)*c[(n)+4]-c[(n)+3]))-.5*(((n)+1)*c[(n)+3]-c[(n)+2])))
    d xp=2*a; // dx/da
    // c1x=mL a c3, c1z=mL c2
    d mL=m*L;
    d c1x=mL*a*c[3], c1xa=mL*(c[3]+a*xp*D1(3)), c1xaa=mL*(xp*D1(3)*2+a*(2*D1(3))+a*xp*xp*D2(3));
    d c1z=mL*c[2], c1za=mL*xp*D1(2), c1zaa=mL*(2*D1(2)+xp*xp*D2(2));
    d mL2=mL*L, k=m*R*R;
    d I=mL2*2*c[3]+k/4, Ia=mL2*2*xp*D1(3);
    d H=mL2*(c[3]-c[4])+k/8, Ha=mL2*xp*(D1(3)-D1(4));
    d G=mL2*(2*c[4]-4*c[5])+k/12, Ga=mL2*xp*(2*D1(4)-4*D1(5));
    d ad2=ad*ad;
    d cdx=c1xa*ad,cdz=c1za*ad,cddx=c1xa*add+c1xaa*ad2,cddz=c1za*add+c1zaa*ad2;
    // F = m a + al x c1 + w x (w x c1) + 2 w x cd + cdd ; (0,w,0)x(x,0,z)=(w z,0,-w x)
    d w2=w*w;
    d Fx=m*ax+al*c1z-w2*c1x+2*w*cdz+cddx;
    d Fz=m*az-al*c1x-w2*c1z-2*w*cdx+cddz;
    // N_y = (c1 x a)_y + I al + J w + hd ; (c1 x a)_y = c1z ax - c1x az
    d Ny=c1z*ax-c1x*az+I*al+Ia*ad*w+H*add+Ha*ad2;
    d pi=c1xa*ax+c1za*az+al*H-.5*Ia*w2+G*add+.5*Ga*ad2;
    // tip frame
    d tx=L*a*c[2],tz=L*c[1]; d txa=L*(c[2]+a*xp*D1(2)),tza=L*xp*D1(1);
    d txaa=L*(xp*D1(2)*2+a*2*D1(2)+a*xp*xp*D2(2)),tzaa=L*(2*D1(1)+xp*xp*D2(1));
    d vx=txa*ad,vz=tza*ad; d arx=txa*add+txaa*ad2,arz=tza*add+tzaa*ad2;
    d Ax=ax+al*tz-w2*tx+2*w*vz+arx, Az=az-al*tx-w2*tz-2*w*vx+arz;
    d cs=c[0],sn=a*c[1];
    ax=cs*Ax-sn*Az; az=sn*Ax+cs*Az; w+=ad; al+=add;
    d*W=ws[i]; W[0]=Fx;W[1]=Fz;W[2]=Ny;W[3]=pi;W[4]=tx;W[5]=tz;W[6]=txa;W[7]=tza;W[8]=cs;W[9]=sn;
  }
  d fx=0,fz=0,n=0;
  for(int i=N-1;i>=0;i--){ d*W=ws[i]; d cs=W[8],sn=W[9];
    d rx=cs*fx+sn*fz, rz=-sn*fx+cs*fz;
    tau[i]=W[3]+W[6]*rx+W[7]*rz+n;
    n=W[2]+n+W[5]*rx-W[4]*rz; fx=W[0]+rx; fz=W[1]+rz; }
}
int main_old(int argc,char**argv){ int N=atoi(argv[1]); d q[N],qd[N],qdd[N],tau[N]; d L=.2,R=.02,m=1062*M_PI*R*R*L;
  for(int i=0;i<N;i++){q[i]=1;qd[i]=1;qdd[i]=1;} id(N,L,R,m,9.81,q,qd,qdd,tau); for(int i=0;i<N&&i<6;i++)printf("%.12g ",tau[i]); puts("");
  int K=2000000/N; struct timespec a,b; d s=0; clock_gettime(CLOCK_MONOTONIC,&a);
  for(int k=0;k<K;k++){ q[0]=1+1e-9*k; id(N,L,R,m,9.81,q,qd,qdd,tau); s+=tau[0]; }
  clock_gettime(CLOCK_MONOTONIC,&b); printf("N=%d %.1f ns/call %.1f ns/body (%g)\n",N,((b.tv_sec-a.tv_sec)*1e9+(b.tv_nsec-a.tv_nsec))/K,((b.tv_sec-a.tv_sec)*1e9+(b.tv_nsec-a.tv_nsec))/K/N,s);
}
