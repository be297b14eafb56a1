/** Lines of an editor that are lit from elsewhere, and the line that a pointer or the caret is on. */
import { StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';

const light = StateEffect.define<readonly number[]>();
const LIT = Decoration.line({ class: 'lit' });

const lit = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { effects, changes, state }) {
    for (const effect of effects)
      if (effect.is(light)) {
        const lines = [...new Set(effect.value)].filter((line) => line >= 1 && line <= state.doc.lines);
        return Decoration.set(lines.sort((a, b) => a - b).map((line) => LIT.range(state.doc.line(line).from)));
      }
    return shown.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** @param pointed is told the line, from 1 on, whenever it is another one; undefined when the pointer leaves. */
export function litLines(pointed: (line: number | undefined) => void): Extension {
  let last: number | undefined;
  const tell = (line: number | undefined): void => {
    if (line === last) return;
    last = line;
    pointed(line);
  };
  return [
    lit,
    EditorView.domEventHandlers({
      mousemove: ({ clientX: x, clientY: y }, view) => {
        const at = view.posAtCoords({ x, y });
        tell(at === null ? undefined : view.state.doc.lineAt(at).number);
      },
      mouseleave: () => tell(undefined),
    }),
    // The same for those who have no pointer.
    EditorView.updateListener.of(({ selectionSet, docChanged, state, view }) => {
      if (selectionSet && !docChanged && view.hasFocus) tell(state.doc.lineAt(state.selection.main.head).number);
    }),
  ];
}

/** Brings the first of them into sight where none is. */
export function lightLines(view: EditorView, lines: readonly number[]): void {
  const { doc } = view.state;
  const shown = lines.filter((line) => line >= 1 && line <= doc.lines);
  const { top, bottom } = view.scrollDOM.getBoundingClientRect();
  const isSeen = shown.some((line) => {
    const place = view.coordsAtPos(doc.line(line).from);
    return place !== null && place.top >= top && place.bottom <= bottom;
  });
  const scroll = shown.length > 0 && !isSeen;
  const first = scroll ? doc.line(Math.min(...shown)).from : 0;
  view.dispatch({
    effects: [light.of(shown), ...(scroll ? [EditorView.scrollIntoView(first, { y: 'center' })] : [])],
  });
}
