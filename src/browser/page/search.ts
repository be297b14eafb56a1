/** Search of the documentation: the index is loaded when somebody begins to type. */
import MiniSearch, { type SearchResult } from 'minisearch';

const field = document.getElementById('search') as HTMLInputElement;
const list = document.getElementById('found')!;
const root = new URL(field.dataset['root'] ?? './', document.baseURI);
let index: Promise<MiniSearch> | undefined;

async function load(): Promise<MiniSearch> {
  const text = await (await fetch(new URL('search.json', root))).text();
  return MiniSearch.loadJSON(text, { fields: ['title', 'text'], storeFields: ['title', 'page', 'link'] });
}

function entry({ title, page, link }: SearchResult): HTMLLIElement {
  const made = document.createElement('li');
  const anchor = document.createElement('a');
  anchor.href = new URL(String(link), root).href;
  anchor.textContent = String(title);
  const where = document.createElement('span');
  where.textContent = String(page);
  made.append(anchor, where);
  return made;
}

field.addEventListener('input', () => {
  index ??= load();
  const { value } = field;
  void index.then((own) => {
    if (value !== field.value) return;
    const found = own.search(value, { prefix: true, fuzzy: 0.15, boost: { title: 3 }, combineWith: 'AND' });
    list.replaceChildren(...found.slice(0, 12).map(entry));
  });
});

// On narrow screens the contents would push the text out of sight.
if (matchMedia('(max-width: 800px)').matches) document.getElementById('contents')?.removeAttribute('open');
