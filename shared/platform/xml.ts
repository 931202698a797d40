/** Reads what the older services of AWS answer: elements with text or with elements in them. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface Open {
  readonly name: string;
  text: string;
  readonly children: XmlElement[];
}

/** No answer of AWS has more than six. */
const depthMax = 32;

/** The outermost element, without attributes. Throws SyntaxError for what is no whole document. Linear in the length of the text. */
export const readXml = (xml: string): XmlElement => {
  const top: Open = { name: '', text: '', children: [] };
  const open = [top];
  for (let at = 0; at < xml.length; ) {
    const here = open.at(-1) ?? top;
    const mark = xml.indexOf('<', at);
    here.text += decoded(xml.slice(at, mark < 0 ? undefined : mark));
    if (mark < 0) break;
    const [ending = '>'] = xml.startsWith('<!--', mark) ? ['-->'] : xml.startsWith('<![CDATA[', mark) ? [']]>'] : [];
    const end = xml.indexOf(ending, mark);
    if (end < 0) throw new SyntaxError('the text ends within a mark');
    at = end + ending.length;
    if (ending === ']]>') here.text += xml.slice(mark + '<![CDATA['.length, end);
    if (xml[mark + 1] === '!' || xml[mark + 1] === '?') continue;
    const [, closes, name = '', empty] = /^<(\/?)([^\s/>]+)[^>]*?(\/?)>$/s.exec(xml.slice(mark, at)) ?? [];
    if (name === '') throw new SyntaxError('a mark without a name');
    if (closes) {
      if (open.length === 1 || here.name !== name) throw new SyntaxError('marks that do not match');
      open.pop();
      continue;
    }
    const element: Open = { name, text: '', children: [] };
    here.children.push(element);
    if (!empty) open.push(element);
    if (open.length > depthMax) throw new SyntaxError('too many marks within each other');
  }
  const [root] = top.children;
  if (!root || open.length !== 1) throw new SyntaxError('no whole document');
  return root;
};

/** The first element of that name right below; undefined where there is none. */
export const elementOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name);

/** Its text; undefined where there is no such element. */
export const textOf = (element: XmlElement | undefined, name: string): string | undefined => elementOf(element, name)?.text;

/** All elements of that name right below. */
export const elementsOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const decoded = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
  });

const names = new Map(Object.entries(entities).map(([name, letter]) => [letter, name]));

/** Text that may stand in a document we send. */
export const xmlEscaped = (text: string): string =>
  text.replace(/[&<>"'\r\n]/g, (letter) => `&${names.get(letter) ?? `#x${letter.charCodeAt(0).toString(16)}`};`);
