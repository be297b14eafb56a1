/**
 * What runs in pages that show a robot in space, of reports and of `kanegen view`: one script, bundled with three.js into `dist/viewer.js`,
 * which every page has in it. A report has its motion with it.
 */
if (document.getElementById('animation')) await import('./viewer.ts');
else await import('./live.ts');

export {};
