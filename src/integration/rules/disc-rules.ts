import type { WeightedPoints } from './gauss.ts';

/** Radius, angle, weight of each point, number of points: 1, one per turn, or one per turn and its mirror image. */
type Orbit = readonly [radius: number, angle: number, weight: number, points: number];

interface SymmetricRule {
  readonly degree: number;
  /** Turns by 2π/turns map the rule onto itself. */
  readonly turns: number;
  readonly orbits: readonly Orbit[];
}

const RULES: readonly SymmetricRule[] = [
  { degree: 1, turns: 1, orbits: [[0, 0, 1, 1]] },
  // 3 points
  { degree: 2, turns: 3, orbits: [[0.7071067811865476, 0.0, 0.3333333333333333, 3]] },
  // 4 points
  { degree: 3, turns: 4, orbits: [[0.7071067811865476, 0.0, 0.25, 4]] },
  // 6 points
  {
    degree: 4,
    turns: 5,
    orbits: [
      [0.0, 0.0, 0.25, 1],
      [0.816496580927726, 0.0, 0.15, 5],
    ],
  },
  // 7 points
  {
    degree: 5,
    turns: 6,
    orbits: [
      [0.0, 0.0, 0.25, 1],
      [0.816496580927726, 0.0, 0.125, 6],
    ],
  },
  // 12 points
  {
    degree: 6,
    turns: 3,
    orbits: [
      [0.9704972301202597, 0.0, 0.033242804646039764, 3],
      [0.44019410981384766, 0.0, 0.1526587170390586, 3],
      [0.8470268988721332, 1.4022029465804682, 0.07371590582411748, 6],
    ],
  },
  // 12 points
  {
    degree: 7,
    turns: 4,
    orbits: [
      [0.45667076127531814, 0.0, 0.12321068919101448, 4],
      [0.9109958036444294, 0.0, 0.05271523673491145, 4],
      [0.8660254037844386, 0.7853981633974483, 0.07407407407407407, 4],
    ],
  },
  // 16 points
  {
    degree: 8,
    turns: 5,
    orbits: [
      [0.0, 0.0, 0.10648148148148148, 1],
      [0.9533211755218074, 0.0, 0.027983063814522733, 5],
      [0.5823341881204994, 0.0, 0.09736297783998885, 5],
      [0.882458098900126, 0.6283185307179586, 0.05335766204919213, 5],
    ],
  },
  // 19 points
  {
    degree: 9,
    turns: 6,
    orbits: [
      [0.0, 0.0, 0.10894097222222222, 1],
      [0.5894633151659066, 0.0, 0.08332902721571557, 6],
      [0.9440565012185308, 0.0, 0.02449070658058073, 6],
      [0.8944271909999159, 0.5235987755982989, 0.040690104166666664, 6],
    ],
  },
  // 24 points
  {
    degree: 10,
    turns: 3,
    orbits: [
      [0.3152697176799402, 0.0, 0.08003435213293468, 3],
      [0.9565867738209913, 0.0, 0.02032136251403777, 3],
      [0.6049991328918308, 1.0471975511965979, 0.06293032174040833, 3],
      [0.9137684734936614, 1.0471975511965979, 0.03117270992578543, 3],
      [0.9541344188351647, 0.560489264708746, 0.019187714346662398, 6],
      [0.7472575860965641, 0.34780027981953854, 0.05024957916342117, 6],
    ],
  },
  // 28 points
  {
    degree: 11,
    turns: 4,
    orbits: [
      [0.9749270870462453, 0.0, 0.012076345473937962, 4],
      [0.7227180055174786, 0.0, 0.04961460399008406, 4],
      [0.32645969153020116, 0.0, 0.065478582778556, 4],
      [0.9649838013544416, 0.7853981633974483, 0.011941001836682215, 4],
      [0.6652720993393245, 0.7853981633974483, 0.05860282108097634, 4],
      [0.9128709291752769, 0.41583815890613846, 0.026143322419881706, 8],
    ],
  },
  // 36 points
  {
    degree: 12,
    turns: 7,
    orbits: [
      [0.0, 0.0, 0.0623394831406638, 1],
      [0.7819815713306798, 0.0, 0.025024428662327982, 7],
      [0.4600795631566082, 0.0, 0.046788266404172316, 7],
      [0.7570027327065407, 0.4487989505128276, 0.030806848098202808, 7],
      [0.9548820295766147, 0.22622605945849983, 0.015665979621886747, 14],
    ],
  },
  // 37 points
  {
    degree: 13,
    turns: 6,
    orbits: [
      [0.0, 0.0, 0.06007201210514021, 1],
      [0.8050609327042731, 0.0, 0.03138619925120603, 6],
      [0.4503291803893992, 0.0, 0.05184896236802962, 6],
      [0.7241044466373888, 0.5235987755982989, 0.036997656186345755, 6],
      [0.9357780807880328, 0.5235987755982989, 0.015119844333926826, 6],
      [0.9650106975616619, 0.19713489803073556, 0.010651001254817534, 12],
    ],
  },
];

export const LARGEST_DISC_DEGREE = RULES.at(-1)!.degree;

/** The smallest rule here that is exact up to `degree`, 1 … LARGEST_DISC_DEGREE. Weights add up to 1. */
export function discRule(degree: number): WeightedPoints {
  const exact = RULES.filter((rule) => rule.degree >= degree).map(expand);
  return exact.reduce((best, rule) => (rule.weights.length < best.weights.length ? rule : best));
}

function expand({ turns, orbits }: SymmetricRule): WeightedPoints {
  const points: number[][] = [];
  const weights: number[] = [];
  for (const [radius, angle, weight, count] of orbits)
    for (let i = 0; i < count; i++) {
      const mirrored = i >= turns ? -angle : angle;
      const phi = mirrored + (2 * Math.PI * (i % turns)) / turns;
      points.push([radius * Math.cos(phi), radius * Math.sin(phi)]);
      weights.push(weight);
    }
  return { points, weights };
}
