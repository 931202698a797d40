/** An element by name: text, an element with children, or several of the same name. */
export interface XmlObject {
  readonly [name: string]: XmlValue | readonly XmlValue[];
}
type XmlValue = string | XmlObject;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const decoded = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) =>
    decimal
      ? String.fromCodePoint(Number(decimal))
      : hex
        ? String.fromCodePoint(Number.parseInt(hex, 16))
        : (entities[name ?? ''] ?? whole),
  );

/** Reads the answers of AWS's query protocol: elements and text, whose attributes mean nothing. */
export const parseXml = (text: string): XmlObject => {
  type Open = { readonly name: string; text: string; readonly children: Record<string, XmlValue | XmlValue[]> };
  const root: Open = { name: '', text: '', children: {} };
  const open: Open[] = [root];
  const add = (name: string, value: XmlValue): void => {
    const { children } = open.at(-1) ?? root;
    const known = children[name];
    children[name] = known === undefined ? value : [known, value].flat();
  };
  for (const [, closing, name = '', isEmpty, between = ''] of text.matchAll(/<(\/)?([\w:.-]+)[^>]*?(\/)?>([^<]*)/g)) {
    if (isEmpty) add(name, '');
    else if (!closing) open.push({ name, text: between, children: {} });
    else if (open.length > 1) {
      const { children, text: content } = open.pop() as Open;
      add(name, Object.keys(children).length > 0 ? children : decoded(content));
    }
  }
  return root.children;
};
