/** Pages of the documentation: Markdown as HTML, with the anchors that GitHub gives to headings. */
import MarkdownIt from 'markdown-it';

/** The same as GitHub's. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

export const escaped = (text) =>
  text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter]);

/** Links of HTML within Markdown. */
const withLinks = (html, linkOf) =>
  html.replace(/\b(src|href)="([^"]*)"/g, (_, name, link) => `${name}="${linkOf(link)}"`);

/**
 * @param linkOf the address in the site of what a link means.
 * @param afterImage HTML behind a picture, by its address in the text.
 * @returns title, HTML, and sections for the search.
 */
export function rendered(text, { linkOf, afterImage = () => '' }) {
  const markdown = new MarkdownIt({ html: true, typographer: false });
  const tokens = markdown.parse(text, {});
  const sections = [{ title: '', anchor: '', text: '' }];
  const used = new Map();
  tokens.forEach((token, i) => {
    if (token.type === 'heading_open') {
      const title = tokens[i + 1].children.map((own) => (own.type === 'text' || own.type === 'code_inline' ? own.content : '')).join('');
      const plain = anchorOf(title);
      const count = used.get(plain) ?? 0;
      used.set(plain, count + 1);
      const anchor = count === 0 ? plain : `${plain}-${count}`;
      token.attrSet('id', anchor);
      sections.push({ title, anchor, text: '' });
    } else if (token.type === 'html_block') token.content = withLinks(token.content, linkOf);
    else if (token.type === 'inline') {
      const own = token.children.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
      if (tokens[i - 1].type !== 'heading_open') sections.at(-1).text += ` ${own}`;
      for (const child of token.children) {
        if (child.type === 'link_open') child.attrSet('href', linkOf(child.attrGet('href')));
        if (child.type === 'html_inline') child.content = withLinks(child.content, linkOf);
        if (child.type === 'image') child.attrSet('src', linkOf(child.attrGet('src')));
      }
    } else if (token.type === 'fence') sections.at(-1).text += ` ${token.content}`;
  });
  const { rules } = markdown.renderer;
  const image = rules.image;
  rules.image = (list, i, ...rest) => `${image(list, i, ...rest)}${afterImage(list[i].content)}`;
  rules.fence = (list, i) =>
    `<pre tabindex="0"><code class="language-${escaped(list[i].info.trim() || 'text')}">${escaped(list[i].content)}</code></pre>\n`;
  rules.table_open = () => '<div class="table" tabindex="0" role="region" aria-label="table"><table>';
  rules.table_close = () => '</table></div>';
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return { title: sections[1]?.title ?? 'kanegen', html, sections: sections.filter((own) => own.title !== '') };
}
