/** What a link to the playground says, behind `#`: an example or a whole robot file (packed), and what is shown of it. */

export interface LinkState {
  /** Path of an example, where the text is as it stands there. */
  readonly example?: string;
  readonly text?: string;
  /** Path of the example that the text began as: the files that it names are beside that one. */
  readonly base?: string;
  readonly view?: string;
}

export async function hashOf({ example, text, base, view }: LinkState): Promise<string> {
  const said = new URLSearchParams();
  if (example !== undefined) said.set('example', example);
  if (text !== undefined) said.set('robot', await packed(text));
  if (base !== undefined && example === undefined) said.set('base', base);
  if (view !== undefined) said.set('view', view);
  return `#${said}`;
}

/** @throws Error where the link is damaged. */
export async function stateOf(hash: string): Promise<LinkState> {
  const said = new URLSearchParams(hash.replace(/^#/, ''));
  const [example, robot, base, view] = ['example', 'robot', 'base', 'view'].map((name) => said.get(name));
  return {
    ...(example && { example }),
    ...(robot && { text: await unpacked(robot) }),
    ...(base && { base }),
    ...(view && { view }),
  };
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const answer = new Response(new Blob([bytes]).stream().pipeThrough(stream as never));
  return new Uint8Array(await answer.arrayBuffer());
}

/** Deflated, in the letters of addresses. */
async function packed(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  let letters = '';
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

async function unpacked(text: string): Promise<string> {
  const letters = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(await through(bytes, new DecompressionStream('deflate-raw')));
}
