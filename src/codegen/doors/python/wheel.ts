/** A wheel of a package for Python with its library, compiled here: what `pip install` takes where there is no compiler. */
import { createHash } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import { KanegenError } from '../../../common/error.ts';
import { sharedLibraries } from '../../c/shared-objects.ts';
import type { GeneratedFile } from '../../modules/robot-model.ts';
import { VERSION } from '../../modules/version.ts';

/**
 * @param of the files of the package, with `pyproject.toml` at their root.
 * @throws KanegenError `no-wheel` where no C compiler is found, or where it compiles for an unknown machine; `compiler-failed`.
 */
export async function wheelOf(name: string, summary: string, of: readonly GeneratedFile[]): Promise<GeneratedFile> {
  const within = `${name}/c/`;
  const code = of
    .filter(({ path }) => path.startsWith(within))
    .map((file) => ({ ...file, path: file.path.slice(within.length) }));
  const flags = Object.fromEntries(code.map(({ path }) => [path, ['-DKG_PLAIN_NAMES', '-fvisibility=default']]));
  const built = await sharedLibraries([{ files: code, flags }]);
  if (typeof built === 'string')
    throw new KanegenError('no-wheel', `a wheel holds compiled code: ${built}`, {
      remedy: 'leave out --wheel: `pip install` of the package compiles it where it is used',
    });
  const [library] = built;
  const { platform, suffix } = platformOf(library!);
  const tag = `py3-none-${platform}`;
  const info = `${name}-${VERSION}.dist-info`;
  const text = (lines: readonly string[]): Uint8Array => strToU8(`${lines.join('\n')}\n`);
  const files: [string, Uint8Array][] = [
    ...of.filter(({ path }) => path.startsWith(`${name}/`)).map(packed),
    [`${name}/library${suffix}`, library!],
    [
      `${info}/METADATA`,
      text([
        'Metadata-Version: 2.1',
        `Name: ${name}`,
        `Version: ${VERSION}`,
        `Summary: ${summary}`,
        'Requires-Python: >=3.9',
        'Requires-Dist: numpy',
      ]),
    ],
    [`${info}/WHEEL`, text(['Wheel-Version: 1.0', 'Generator: kanegen', 'Root-Is-Purelib: false', `Tag: ${tag}`])],
  ];
  const record = files.map(([path, bytes]) => {
    const digest = createHash('sha256').update(bytes).digest('base64url');
    return `${path},sha256=${digest},${bytes.length}`;
  });
  files.push([`${info}/RECORD`, text([...record, `${info}/RECORD,,`])]);
  // Equal packages give equal bytes: no times of today.
  const bytes = zipSync(Object.fromEntries(files), { mtime: new Date(1980, 0, 1) });
  return {
    path: `${name}-${VERSION}-${tag}.whl`,
    text: Buffer.from(bytes).toString('base64'),
    encoding: 'base64',
  };
}

const packed = ({ path, text }: GeneratedFile): [string, Uint8Array] => [path, strToU8(text)];

/** Machines of ELF (its field e_machine), Mach-O (cputype) and PE (Machine), as platforms of wheels name them. */
const ELF: Readonly<Record<number, string>> = {
  3: 'i686',
  22: 's390x',
  40: 'armv7l',
  62: 'x86_64',
  183: 'aarch64',
  243: 'riscv64',
};
const MACH_O: Readonly<Record<number, string>> = { 0x01000007: 'macosx_10_13_x86_64', 0x0100000c: 'macosx_11_0_arm64' };
const PE: Readonly<Record<number, string>> = { 0x014c: 'win32', 0x8664: 'win_amd64', 0xaa64: 'win_arm64' };

/** What a library runs on, by its own head: compilers may compile for another machine than this one. */
export function platformOf(library: Uint8Array): { readonly platform: string; readonly suffix: string } {
  const view = new DataView(library.buffer, library.byteOffset, library.byteLength);
  const magic = view.getUint32(0, true);
  const unknown = (): never => {
    throw new KanegenError('no-wheel', 'the C compiler makes libraries for a machine that wheels have no name for', {
      remedy: 'name another compiler in KANEGEN_CC, or leave out --wheel',
    });
  };
  if (magic === 0x464c457f) {
    const machine = ELF[view.getUint16(18, library[5] === 1)];
    return machine ? { platform: `linux_${machine}`, suffix: '.so' } : unknown();
  }
  if (magic === 0xfeedfacf) {
    const platform = MACH_O[view.getUint32(4, true)];
    return platform ? { platform, suffix: '.dylib' } : unknown();
  }
  if ((magic & 0xffff) === 0x5a4d) {
    const platform = PE[view.getUint16(view.getUint32(0x3c, true) + 4, true)];
    return platform ? { platform, suffix: '.dll' } : unknown();
  }
  return unknown();
}
