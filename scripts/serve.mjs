/** A static server on the loopback address: `node scripts/serve.mjs FOLDER [PORT]`; for `npm run site:preview` and tests. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** @returns where it is, and what ends it. */
export async function serve(folder, port = 0) {
  const root = path.resolve(folder);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = path.join(root, decodeURIComponent(pathname), pathname.endsWith('/') ? 'index.html' : '');
    if (!file.startsWith(root) || !statSync(file, { throwIfNoEntry: false })?.isFile())
      return response.writeHead(404).end('Nothing is here.\n');
    response.writeHead(200, { 'Content-Type': TYPES[path.extname(file)] ?? 'text/plain; charset=utf-8' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    link: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , folder = 'site', port = '8080'] = process.argv;
  console.log(`${(await serve(folder, Number(port))).link} (end with Ctrl-C)`);
}
