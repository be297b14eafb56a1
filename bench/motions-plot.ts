/** The figure of docs/simulation.md: error of the tip against time, a panel for each motion, both axes logarithmic. */

export interface Point {
  readonly method: 'implicit' | 'explicit';
  readonly tolerance: number;
  readonly steps: number;
  /** s, the fastest of some runs. */
  readonly seconds: number;
  /** Largest distance of the tip from the converged curve at any of 300 samples, m. */
  readonly error: number;
}

export interface MotionResult {
  readonly name: string;
  readonly about: string;
  readonly points: readonly Point[];
  /** Between the tightest runs of both methods, m. */
  readonly agreement: number;
}

const PANEL = { width: 270, height: 240, left: 58, top: 34 };
const SECONDS: readonly [number, number] = [-4, 0];
const ERRORS: readonly [number, number] = [-8, -1];
const COLOURS = { implicit: '#1565c0', explicit: '#c62828' } as const;

const inPanel = (value: number, [from, to]: readonly [number, number]): number =>
  Math.min(1, Math.max(0, (Math.log10(value) - from) / (to - from)));

function panel({ name, points }: MotionResult, index: number): string[] {
  const { width, height, left, top } = PANEL;
  const [x0, inner] = [index * width + left, { x: width - left - 14, y: height - top - 44 }];
  const x = (p: number): number => x0 + inner.x * p;
  const y = (p: number): number => top + inner.y * (1 - p);
  const range = ([from, to]: readonly [number, number]): number[] =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const ticks = [
    ...range(SECONDS).map((k) => {
      const at = x(inPanel(10 ** k, SECONDS)).toFixed(1);
      return `<path d="M${at} ${top}V${top + inner.y}" stroke="#ddd"/><text x="${at}" y="${top + inner.y + 15}" text-anchor="middle">1e${k}</text>`;
    }),
    ...range(ERRORS).map((k) => {
      const at = y(inPanel(10 ** k, ERRORS)).toFixed(1);
      return `<path d="M${x0} ${at}H${x0 + inner.x}" stroke="${k === -4 ? '#888' : '#ddd'}"/><text x="${x0 - 5}" y="${at}" dy="4" text-anchor="end">1e${k}</text>`;
    }),
  ];
  const lines = (['implicit', 'explicit'] as const).flatMap((method) => {
    const own = points.filter((point: Point) => point.method === method);
    const at = own.map((p) => [x(inPanel(p.seconds, SECONDS)).toFixed(1), y(inPanel(p.error, ERRORS)).toFixed(1)]);
    const path = at.map(([a, b], i) => `${i === 0 ? 'M' : 'L'}${a} ${b}`).join('');
    return [
      `<path d="${path}" fill="none" stroke="${COLOURS[method]}"/>`,
      ...at.map(([a, b]) => `<circle cx="${a}" cy="${b}" r="2.5" fill="${COLOURS[method]}"/>`),
    ];
  });
  return [
    ...ticks,
    ...lines,
    `<text x="${x(0.5)}" y="${top - 12}" text-anchor="middle" font-weight="bold">${name}</text>`,
    `<text x="${x(0.5)}" y="${height - 8}" text-anchor="middle">time for 3 s, s</text>`,
  ];
}

export function accuracyPlot(results: readonly MotionResult[]): string {
  const { width, height } = PANEL;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${results.length * width}" height="${height}" font-family="sans-serif" font-size="10">`,
    '<rect width="100%" height="100%" fill="white"/>',
    '<text x="12" y="120" transform="rotate(-90 12 120)" text-anchor="middle">largest error of the tip, m</text>',
    ...results.flatMap(panel),
    ...(['implicit', 'explicit'] as const).map(
      (method, i) => `<text x="${64 + 60 * i}" y="12" fill="${COLOURS[method]}">${method}</text>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}
