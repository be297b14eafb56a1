/**
 * The server of `kanegen view`: on the loopback address, for the page that it serves itself and for nobody else. Every path begins with a token that
 * only the link has; the host must be this one (names that lead here are none), and requests of pages come from its own.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KanegenError } from '../../common/error.ts';
import type { News } from '../../report/viewer/live-messages.ts';
import { UsageError } from '../terminal/failure.ts';
import { NotNow } from './not-now.ts';
import { livePage, liveScript } from './page.ts';
import type { WatchedRobot } from './watched-robot.ts';

const HOST = '127.0.0.1';
/** Bytes of a question. */
const LONGEST = 1_000_000;

export interface ViewServer {
  /** With the token. */
  readonly link: string;
  close(): Promise<void>;
}

/**
 * @param port 0 takes any that is free.
 * @throws UsageError where the port is taken or may not be used.
 */
export async function serveView(robot: WatchedRobot, port = 0): Promise<ViewServer> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => {
    answer(robot, token, request, response).catch((error: unknown) => {
      const refused = error instanceof NotNow || error instanceof KanegenError || error instanceof RangeError;
      const text = error instanceof Error ? error.message : String(error);
      reply(response, refused ? 200 : 500, 'application/json', JSON.stringify({ refused: text }));
    });
  });
  // A page may be silent for a while.
  server.keepAliveTimeout = 0;
  await listening(server, port);
  const { port: taken } = server.address() as AddressInfo;
  return {
    link: `http://${HOST}:${taken}/${token}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new UsageError(`--port ${port} is taken: choose another one, or leave --port out`)
          : error.code === 'EACCES'
            ? new UsageError(`--port ${port} may not be used: choose one from 1024 on, or leave --port out`)
            : error,
      ),
    );
    server.listen(port, HOST, () => resolve());
  });
}

async function answer(
  robot: WatchedRobot,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, given = '', ...rest] = (request.url ?? '').split('?')[0]!.split('/');
  if (!isSame(given, token)) return reply(response, 404, 'text/plain', 'Nothing is here: the link has a token.\n');
  if (!isOwn(request)) return reply(response, 403, 'text/plain', 'This page answers its own requests only.\n');
  const what = `${request.method} ${rest.join('/')}`;
  switch (what) {
    case 'GET ':
      return reply(response, 200, 'text/html', livePage());
    case 'GET live.js':
      return reply(response, 200, 'text/javascript', liveScript());
    case 'GET news':
      return stream(robot, response);
    case 'POST ask': {
      const question = robot.read(await bodyOf(request));
      return reply(response, 200, 'application/json', JSON.stringify(await robot.answer(question)));
    }
    default:
      return reply(response, 404, 'text/plain', 'Nothing is here.\n');
  }
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** For this host by its own names, and from its own pages where it comes from a page. */
function isOwn({ headers, socket }: IncomingMessage): boolean {
  const names = [HOST, 'localhost'].map((host) => `${host}:${socket.localPort}`);
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (!names.includes(host)) return false;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  return site === undefined || site === 'same-origin' || site === 'none';
}

function reply(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Content-Security-Policy':
      "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  });
  response.end(text);
}

function stream(robot: WatchedRobot, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  const send = (news: News): void => void response.write(`data: ${JSON.stringify(news)}\n\n`);
  send(robot.last ?? { news: 'ready' });
  response.on('close', robot.listen(send));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > LONGEST) throw new RangeError('the question is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
