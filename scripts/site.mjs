/**
 * Builds the site, static files in site/: the documentation with a search, and the playground with the compiler. `npm run site`, then
 * `npm run site:preview`; any static server does. Nothing of it needs the network.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import MiniSearch from 'minisearch';
import { buildForBrowsers } from './browser-build.mjs';
import { CONTENTS, documentPage, playgroundPage } from './site/layout.mjs';
import { rendered } from './site/markdown.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** @param out relative to the root of the repository. */
export async function buildSite(out = 'site') {
  const at = (...parts) => path.resolve(root, out, ...parts);
  const write = (file, content) => {
    mkdirSync(path.dirname(at(file)), { recursive: true });
    writeFileSync(at(file), content);
  };
  rmSync(at(), { recursive: true, force: true });

  const examples = examplesBelow('examples');
  const pages = new Map(
    [
      ...CONTENTS.flatMap(([, own]) => own.flatMap(pagesOf)),
      'CONTRIBUTING.md',
      'SECURITY.md',
      ...pagesOf('bench'),
      ...pagesOf('test'),
    ]
      .filter((file) => existsSync(path.join(root, file)))
      .map((file) => [
        file,
        file === 'README.md' ? 'index.html' : file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'),
      ]),
  );
  const titles = new Map(
    [...pages.keys()].map((file) => [file, /^# (.*)$/m.exec(textOf(file))?.[1].replace(/[`*]/g, '') ?? file]),
  );
  /** Files that pages name, beside the pages: they go with them. */
  const named = new Set();
  const search = [];
  for (const [file, target] of pages) {
    const up = '../'.repeat(target.split('/').length - 1);
    const to = (other) => `${up}${other}`;
    const linkOf = (link) => {
      if (/^[a-z]+:/.test(link) || link.startsWith('#')) return link;
      const [way, anchor] = link.split('#');
      const meant = path.posix.join(path.posix.dirname(file), way).replace(/\/$/, '');
      const hash = anchor === undefined ? '' : `#${anchor}`;
      const page = pages.get(meant) ?? pages.get(`${meant}/README.md`);
      if (page !== undefined) return `${to(page)}${hash}`;
      if (/^examples\/.*\.robot\.yaml$/.test(meant))
        return to(`playground/index.html#example=${encodeURIComponent(meant)}&view=view`);
      if (!existsSync(path.join(root, meant))) throw new Error(`${file}: ${link} leads nowhere`);
      named.add(meant);
      return to(statSync(path.join(root, meant)).isDirectory() ? `${meant}/index.html` : meant);
    };
    const afterImage = (name) => {
      const robot = file === 'docs/gallery.md' && robotOfPicture(name);
      return robot
        ? `<br><a class="open" href="${to(`playground/index.html#example=${encodeURIComponent(robot)}&view=view`)}">Open ${name} in the playground</a>`
        : '';
    };
    const { title, html, sections } = rendered(textOf(file), { linkOf, afterImage });
    const contents = CONTENTS.map(([heading, own]) => [
      heading,
      own
        .flatMap(pagesOf)
        .filter((other) => pages.has(other))
        .map((other) => [titles.get(other), to(pages.get(other)), other === file]),
    ]);
    write(target, documentPage({ title, html, up, contents }));
    for (const { title: heading, anchor, text } of sections)
      search.push({
        id: search.length,
        title: heading,
        page: title,
        link: `${target}#${anchor}`,
        text: text.slice(0, 4000),
      });
  }
  for (const file of named)
    if (statSync(path.join(root, file)).isDirectory()) write(`${file}/index.html`, folderPage(file));
    else cpSync(path.join(root, file), at(file));

  const index = new MiniSearch({ fields: ['title', 'text'], storeFields: ['title', 'page', 'link'] });
  index.addAll(search);
  write('search.json', JSON.stringify(index));
  cpSync(path.join(root, 'scripts/site/style.css'), at('style.css'));
  await build({
    absWorkingDir: root,
    entryPoints: ['src/browser/page/search.ts'],
    outdir: at(),
    bundle: true,
    format: 'esm',
    minify: true,
    logLevel: 'warning',
  });

  cpSync(path.join(root, 'examples'), at('examples'), {
    recursive: true,
    filter: (source) =>
      statSync(source).isDirectory() || /\.(yaml|urdf|msh|npz|npy|onnx|safetensors|csv)$/.test(source),
  });
  write('examples/index.json', JSON.stringify(examples));
  write('playground/index.html', playgroundPage());
  await buildForBrowsers(
    root,
    at('playground'),
    {
      playground: 'src/browser/page/playground.ts',
      worker: 'src/browser/worker.ts',
      'live-viewer': 'src/report/viewer/live.ts',
    },
    { digest: 'site', external: [], alias: typescriptAlone() },
  );
  const katex = path.join(root, 'node_modules/katex/dist');
  cpSync(path.join(katex, 'katex.min.css'), at('katex/katex.min.css'));
  cpSync(path.join(katex, 'fonts'), at('katex/fonts'), {
    recursive: true,
    filter: (source) => !/\.(ttf|woff)$/.test(source),
  });
  return at();

  /** The robot that a command under a picture names. */
  function robotOfPicture(name) {
    const file = new RegExp(`\\]\\(gallery/${name}\\.[a-z]+\\)[^]*?kanegen \\w+ (\\S+\\.yaml)`).exec(
      textOf('docs/gallery.md'),
    )?.[1];
    if (file === undefined || file.endsWith('.robot.yaml')) return file;
    const robot = /^robot:\s*(\S+\.yaml)/m.exec(textOf(file))?.[1];
    return robot && path.posix.join(path.posix.dirname(file), robot);
  }
}

/** The TypeScript compiler in place of ts-morph, and nothing in place of what it asks Node for where there is one. */
function typescriptAlone() {
  const own = (name) => path.join(root, 'scripts/site', name);
  const absent = ['fs', 'path', 'os', 'inspector', 'crypto', 'buffer', 'source-map-support', 'perf_hooks', 'module'];
  return { 'ts-morph': own('typescript.mjs'), ...Object.fromEntries(absent.map((name) => [name, own('nothing.mjs')])) };
}

const textOf = (file) => readFileSync(path.join(root, file), 'utf8');

/** A page, or those in a folder. */
function pagesOf(entry) {
  if (entry.endsWith('.md')) return [entry];
  return readdirSync(path.join(root, entry))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${entry}/${name}`);
}

function folderPage(folder) {
  const names = readdirSync(path.join(root, folder)).sort();
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${folder}</title><h1>${folder}</h1><ul>${names.map((name) => `<li>${name}</li>`).join('')}</ul></html>\n`;
}

/** Robot files, by folder. */
function examplesBelow(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .sort((a, b) => Number(a.isDirectory()) - Number(b.isDirectory()) || (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const own = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return examplesBelow(own);
      return entry.name.endsWith('.robot.yaml')
        ? [{ name: entry.name.replace('.robot.yaml', ''), group: path.basename(folder), path: own }]
        : [];
    });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(`${await buildSite(process.argv[2])}: npm run site:preview`);
