/** Frames of the pages of the site. */
import { escaped } from './markdown.mjs';

/** Pages by task and subject: headings, then paths in the repository. */
export const CONTENTS = [
  ['Begin', ['README.md', 'docs/gallery.md', 'docs/tutorial.md', 'docs/commands.md', 'docs/troubleshooting.md', 'docs/glossary.md']],
  ['Coming from', ['docs/coming-from/sorosim.md', 'docs/coming-from/urdf-pinocchio.md', 'docs/coming-from/mujoco.md', 'docs/coming-from/matlab.md']],
  ['Tasks', ['docs/simulation.md', 'docs/controllers.md', 'docs/identification.md', 'docs/urdf.md', 'docs/mechanisms.md', 'docs/modes.md', 'docs/modules.md', 'docs/fmu.md', 'docs/python.md', 'docs/rust.md', 'docs/ros2.md', 'docs/matlab.md', 'docs/gpu.md', 'docs/browser.md']],
  ['Robot files', ['docs/robot-file.md', 'docs/robot-file']],
  ['Reference', ['docs/library.md', 'docs/generated-code.md', 'docs/mathematics.md', 'docs/architecture.md']],
  ['Results', ['docs/experiments.md', 'docs/tracking.md', 'docs/comparison.md', 'CHANGELOG.md']],
];

/** @param up the way from the page to the root of the site. */
const head = (title, up, more = '') => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}style.css">
${more}</head>`;

const bar = (up) => `<header class="bar">
<a class="name" href="${up}index.html">kanegen</a>
<nav aria-label="site"><a href="${up}docs/tutorial.html">Documentation</a><a href="${up}docs/gallery.html">Gallery</a><a href="${up}playground/index.html">Playground</a></nav>
</header>`;

/** @param contents `[heading, [[title, link, isHere], …]]`. */
export function documentPage({ title, html, up, contents }) {
  const list = contents
    .map(
      ([heading, pages]) =>
        `<h2>${escaped(heading)}</h2><ul>${pages.map(([name, link, isHere]) => `<li><a href="${link}"${isHere ? ' aria-current="page"' : ''}>${escaped(name)}</a></li>`).join('')}</ul>`,
    )
    .join('');
  return `${head(title === 'kanegen' ? title : `${title} · kanegen`, up)}
<body>
<a class="skip" href="#content">to the text</a>
${bar(up)}
<div class="columns">
<aside>
<div role="search"><label for="search">Search</label><input id="search" type="search" autocomplete="off" data-root="${up}"><ul id="found" aria-live="polite"></ul></div>
<nav aria-label="contents"><details id="contents" open><summary>Contents</summary>${list}</details></nav>
</aside>
<main id="content">
${html}
</main>
</div>
<script type="module" src="${up}search.js"></script>
</body>
</html>
`;
}

const TABS = [
  ['view', 'Robot'],
  ['c', 'C'],
  ['typescript', 'TypeScript'],
  ['operations', 'Operations'],
  ['explain', 'Mathematics'],
];

export const playgroundPage = () => `${head('Playground · kanegen', '../', '<link rel="stylesheet" href="../katex/katex.min.css">\n')}
<body class="playground">
${bar('../')}
<main>
<section aria-label="robot file">
<div class="tools"><label for="example">Example</label><select id="example"></select><button id="copy" type="button">Copy link</button></div>
<div id="editor"></div>
<p id="problem" role="status"></p>
</section>
<section aria-label="result">
<div id="tabs" role="tablist" aria-label="what is shown">${TABS.map(([name, label]) => `<button type="button" role="tab" id="tab-${name}" aria-controls="panel" aria-selected="false">${label}</button>`).join('')}</div>
<div id="panel" role="tabpanel">
<p id="busy" role="status"></p>
<kanegen-robot id="robot" controls></kanegen-robot>
<div id="code-panel" hidden><label for="file">File</label> <select id="file"></select><div id="code"></div><p id="origin" role="status"></p></div>
<div id="text-panel" role="region" aria-label="what the compiler says" hidden tabindex="0"></div>
</div>
</section>
</main>
<script type="module" src="playground.js"></script>
</body>
</html>
`;
