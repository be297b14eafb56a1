/** What the addon of cppcheck says, as findings, and the record of deviations, against each other. */

export interface Finding {
  /** `15.6` */
  readonly rule: string;
  readonly file: string;
  readonly line: number;
}

export interface Deviation {
  readonly rule: string;
  /** Names of files, `*` for any letters. */
  readonly where: string;
}

/** Advisory rules of MISRA C:2012 with its amendments; all others are required or mandatory. */
const ADVISORY = new Set(
  (
    '2.3 2.4 2.5 2.6 2.7 2.8 4.2 5.9 8.7 8.9 8.11 8.13 8.16 8.17 8.19 10.5 11.4 11.5 12.1 12.3 12.4 13.3 13.4 15.1 15.4 15.5 ' +
    '17.5 17.8 17.11 17.12 18.4 18.5 19.2 20.1 20.5 20.10 21.12 21.22 23.1 23.3 23.5 23.7'
  ).split(' '),
);

export const isRequired = (rule: string): boolean => !ADVISORY.has(rule);

/** Each rule at a place once: headers are read by many sources. */
export function findingsIn(text: string): Finding[] {
  const found = new Map<string, Finding>();
  for (const [key, file, line, rule] of text.matchAll(/^\[([^\]:]+):(\d+)\].*\[misra-c2012-([\d.]+)\]$/gm))
    found.set(key, { rule: rule!, file: file!.split('/').at(-1)!, line: Number(line) });
  return [...found.values()];
}

/** Rows `| 17.7 | `kanegen_*.c` | why |` of the table. */
export function deviationsIn(record: string): Deviation[] {
  return [...record.matchAll(/^\| (\d+\.\d+) \| `([^`]+)` \|/gm)].map(([, rule, where]) => ({
    rule: rule!,
    where: where!,
  }));
}

const covers = ({ rule, where }: Deviation, finding: Finding): boolean =>
  rule === finding.rule && new RegExp(`^${where.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(finding.file);

/** Findings without a deviation, and deviations without a finding. */
export function judged(findings: readonly Finding[], deviations: readonly Deviation[]): string[] {
  return [
    ...findings
      .filter((finding) => !deviations.some((own) => covers(own, finding)))
      .map(({ rule, file, line }) => `${file}:${line}: rule ${rule}, no deviation of docs/misra.md`),
    ...deviations
      .filter((own) => !findings.some((finding) => covers(own, finding)))
      .map(
        ({ rule, where }) =>
          `docs/misra.md: the deviation from rule ${rule} in ${where} does not occur any more: delete it`,
      ),
  ];
}
