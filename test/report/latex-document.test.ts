/** Explanations as LaTeX documents: complete, grouped, and compiled where an engine is installed. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { explainRobot } from '../../src/report/explain.ts';
import { latexDocument } from '../../src/report/latex-document.ts';

const engine = ['pdflatex', 'lualatex', 'xelatex'].find((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});
if (!engine) console.warn('No LaTeX engine is installed: documents are not compiled.');

const documentOf = (robot: Robot): string => latexDocument(explainRobot(robot, 'latex'));

const HARD = loadRobotText(
  `kanegen: 1
name: hard
summary: '50% of $x_1 & {#} ~ ^ \\ü 关 ṗ'
parameters: { load: { value: 1 kg, runtime: true } }
body-types:
  gamma_bent_rod:
    extends: planar-cc-elongation
    summary: 'ends { at \\end{document} %'
links: [ { name: a_b, body: gamma_bent_rod }, { name: tip_mass, rigid: { mass: load } } ]`,
  'hard.robot.yaml',
);

describe('the document of a robot', () => {
  const text = documentOf(HARD);

  it('has a section per body type, in it a part per quantity with its notation and components', () => {
    const sections = [...text.matchAll(/^\\(?:sub)*section\*\{(.*)\}$/gm)].map(([, title]) => title);
    expect(sections.slice(0, 8)).toEqual([
      'hard',
      'Coordinates',
      'Run-time parameters',
      'Links',
      'Body type gamma\\_bent\\_rod',
      'Ways to its inertial terms',
      'Kinematics',
      'Integrals',
    ]);
    expect(sections.slice(8, 14)).toEqual(['mass', 'first moment', 'inertia', 'angular', 'gram', 'gyroscopic q1 q2']);
    expect(text.match(/\\paragraph\{\$H\\_/g)).toHaveLength(2);
    expect(text).toMatch(/\[xx\]\\; .*\n.*\[yy\]\\; /);
  });

  it('keeps text of users from being read as LaTeX', () => {
    expect(text).toContain(
      '50\\% of \\$x\\_1 \\& \\{\\#\\} \\textasciitilde{} \\textasciicircum{} \\textbackslash{}ü ? \\ensuremath{\\dot{p}}',
    );
    expect(text.match(/\\end\{document\}/g)).toHaveLength(1);
    expect(text).not.toMatch(/[^\n -~\u00C0-\u00FF]/);
  });
});

describe.skipIf(!engine)('documents compile (skipped without a LaTeX engine)', () => {
  const examples = ['planar-cc', 'pcc-3d', 'elastic-rod'];
  it.each(['hard names', ...examples])('%s', (name) => {
    const robot = examples.includes(name) ? loadRobotFile(`examples/${name}.robot.yaml`) : HARD;
    const directory = mkdtempSync(path.join(tmpdir(), 'kanegen-latex-'));
    try {
      writeFileSync(path.join(directory, 'a.tex'), documentOf(robot));
      execFileSync(engine!, ['-interaction=nonstopmode', '-halt-on-error', 'a.tex'], { cwd: directory, stdio: 'pipe' });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
