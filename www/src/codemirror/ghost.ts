/** How suggested text is drawn: as part of the layout, behind the caret, never over other text. */
import type { Text } from '@codemirror/state';
import { Decoration, WidgetType, type DecorationSet } from '@codemirror/view';
import type { View } from '../editor/index.js';

/** Text on the caret's line. */
class InlineGhost extends WidgetType {
  constructor(private readonly text: string) {
    super();
  }

  override eq(other: InlineGhost): boolean {
    return other.text === this.text;
  }

  toDOM(): HTMLElement {
    return ghostElement('span', this.text, 'cm-ghostText');
  }

  /** The element stays while it is typed along: nothing is taken out and put back. */
  override updateDOM(dom: HTMLElement): boolean {
    if (dom.tagName !== 'SPAN') return false;
    dom.textContent = this.text;
    return true;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** The lines under the caret's line. */
class BlockGhost extends WidgetType {
  constructor(private readonly text: string) {
    super();
  }

  override eq(other: BlockGhost): boolean {
    return other.text === this.text;
  }

  toDOM(): HTMLElement {
    return ghostElement('div', this.text, 'cm-ghostText cm-ghostBlock');
  }

  override updateDOM(dom: HTMLElement): boolean {
    if (dom.tagName !== 'DIV') return false;
    dom.textContent = this.text;
    return true;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** It is told to screen readers by an announcement; read out as text it would sound like part of the document. */
function ghostElement(tag: 'span' | 'div', text: string, className: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.ariaHidden = 'true';
  element.textContent = text;
  return element;
}

export function ghostDecorations(view: View | undefined, caret: number, doc: Text): DecorationSet {
  if (!view) return Decoration.none;
  const ranges = [];
  const below: string[] = [];
  for (const { at, text } of view.ghosts) {
    const [first = '', ...lines] = text.split('\n');
    if (first !== '') ranges.push(Decoration.widget({ widget: new InlineGhost(first), side: 1 }).range(at));
    below.push(...lines);
  }
  if (below.length > 0) {
    // An empty last line would have no height.
    const widget = new BlockGhost(below.map((line) => (line === '' ? '\u200b' : line)).join('\n'));
    ranges.push(Decoration.widget({ widget, side: 2, block: true }).range(doc.lineAt(caret).to));
  }
  return Decoration.set(ranges, true);
}
