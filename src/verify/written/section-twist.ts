/**
 * How stiff a section is against twist, for the independent check: ∫ (∂ψ/∂x − y)² + (∂ψ/∂y + x)² dA over its fibres, sheared as its warping
 * function ψ has it; ∇²ψ = 0 inside, and no stress through the edge. In numbers, at one place along a rod.
 */
import type { CrossSection } from '../../description/model/reference-volume.ts';
import { gaussLegendre } from '../arithmetic/gauss-legendre.ts';
import { decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';

/** m² of a section. @param sizes - in the order of `sectionDimensions`. */
export function areaOf(shape: CrossSection['shape'], sizes: readonly number[]): number {
  const [a, b = 0] = sizes as [number, number?];
  switch (shape) {
    case 'disc':
      return Math.PI * a ** 2;
    case 'annulus':
      return Math.PI * (b - a) * (b + a);
    case 'ellipse':
      return Math.PI * a * b;
    case 'rectangle':
      return a * b;
  }
}

/** ∫ x² and ∫ y² over a section, m⁴. @param sizes - in the order of `sectionDimensions`. */
export function secondMoments(shape: CrossSection['shape'], sizes: readonly number[]): [xx: number, yy: number] {
  const [a, b = 0] = sizes as [number, number?];
  const area = areaOf(shape, sizes);
  switch (shape) {
    case 'disc':
      return [(area * a ** 2) / 4, (area * a ** 2) / 4];
    case 'annulus':
      return [(area * (a ** 2 + b ** 2)) / 4, (area * (a ** 2 + b ** 2)) / 4];
    case 'ellipse':
      return [(area * a ** 2) / 4, (area * b ** 2) / 4];
    case 'rectangle':
      return [(area * a ** 2) / 12, (area * b ** 2) / 12];
  }
}

/** m⁴ of a section that is free to warp. @param sizes - in the order of `sectionDimensions`. */
export function twistConstant(shape: CrossSection['shape'], sizes: readonly number[]): number {
  const [a, b = a] = sizes as [number, number?];
  if (shape === 'rectangle') {
    const [short, long] = a < b ? [a, b] : [b, a];
    return ofRectangle(long / short) * short ** 4;
  }
  // ψ = −(a² − b²)/(a² + b²) x y of an ellipse, none of round sections: x² and y² over four fibres.
  const warp = shape === 'ellipse' ? -(a ** 2 - b ** 2) / (a ** 2 + b ** 2) : 0;
  const [xx, yy] = secondMoments(shape, sizes);
  return (warp - 1) ** 2 * yy + (warp + 1) ** 2 * xx;
}

const Coarse = decimalOfPrecision(40);
/** The waves beyond are too short to feel the other side: each takes away c²/k, together 64/π⁵ Σ m⁻⁵ over odd m. */
const TERMS = 150;
const BEYOND = 64 / Math.PI ** 5 / (8 * (2 * TERMS) ** 4);
/** Depths below the edge, in lengths by which a wave decays e times. */
const PANELS = [0, 1, 3, 6, 11, 20, 40];
const NODES = 12;

/**
 * Of a rectangle 1 × `ratio`: with x from −1/2 to 1/2 ψ = x y + Σ A sin(k x) sinh(k y) over k = (2n + 1) π, which leaves no stress on the sides
 * x = ±1/2. With 2 x = Σ c sin(k x) it leaves none on the others where A k cosh(k ratio/2) = −c. Over x sines and cosines are
 * orthogonal; over y fibres are summed wave by wave, from the edge inwards.
 */
function ofRectangle(ratio: number): number {
  const rule = gaussLegendre(NODES, Coarse).map(({ position, weight }) => [Number(position), Number(weight)] as const);
  // ∫ (2 x)², of fibres far from the edge.
  let total = ratio / 3 - BEYOND;
  for (let n = TERMS - 1; n >= 0; n--) {
    const k = (2 * n + 1) * Math.PI;
    const c = 8 / k ** 2;
    const depth = (k * ratio) / 2;
    for (let panel = 0; panel + 1 < PANELS.length && PANELS[panel]! < depth; panel++) {
      const [from, to] = [PANELS[panel]!, Math.min(PANELS[panel + 1]!, depth)];
      for (const [position, weight] of rule) {
        const t = from + position * (to - from);
        const [down, up] = [Math.exp(-t), Math.exp(t - 2 * depth)];
        const [sinh, cosh] = [down - up, down + up].map((e) => e / (1 + Math.exp(-2 * depth))) as [number, number];
        // Half of sin² and cos² over x, both halves of y.
        total += ((weight * (to - from)) / k) * c ** 2 * 0.5 * (sinh ** 2 + cosh * (cosh - 2)) * 2;
      }
    }
  }
  return total;
}
