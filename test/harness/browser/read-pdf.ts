/** Reads the text of a PDF as Chromium writes them: objects outside of streams, fonts with a map to Unicode. */
import { inflateSync } from 'node:zlib';

export interface PdfText {
  readonly text: string;
  /** Where it begins, in points from the left and from the bottom. */
  readonly x: number;
  readonly y: number;
}

export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly texts: readonly PdfText[];
  /** All texts in the order of drawing, without spaces: a line may break anywhere. */
  readonly joined: string;
}

type Matrix = readonly [number, number, number, number, number, number];
interface PdfObject {
  readonly dictionary: string;
  readonly stream: string;
}

export const readPdf = (bytes: Uint8Array): readonly PdfPage[] => {
  const file = Buffer.from(bytes).toString('latin1');
  const objects = objectsOf(file);
  const object = (reference: string): PdfObject => {
    const found = objects.get(reference);
    if (!found) throw new Error(`the PDF has no object ${reference}`);
    return found;
  };
  const fonts = new Map<string, ReadonlyMap<number, string>>();
  const fontOf = (reference: string): ReadonlyMap<number, string> => {
    const map = fonts.get(reference) ?? unicodeOf(object(referenceIn(object(reference).dictionary, 'ToUnicode')).stream);
    fonts.set(reference, map);
    return map;
  };
  const pagesIn = (reference: string): readonly PdfPage[] => {
    const { dictionary } = object(reference);
    const kids = /\/Kids \[([^\]]*)\]/.exec(dictionary)?.[1];
    if (kids !== undefined) return [...kids.matchAll(/(\d+) 0 R/g)].flatMap(([, kid = '']) => pagesIn(kid));
    const [width = 0, height = 0] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(dictionary)?.slice(1).map(Number) ?? [];
    const named = /\/Font <<([^>]*)>>/.exec(dictionary)?.[1] ?? '';
    const ofPage = new Map([...named.matchAll(/\/(\w+) (\d+) 0 R/g)].map(([, name = '', font = '']) => [name, fontOf(font)]));
    const texts = textsOf(object(referenceIn(dictionary, 'Contents')).stream, ofPage);
    return [{ width, height, texts, joined: texts.map(({ text }) => text.replaceAll(/\s/g, '')).join('') }];
  };
  const [, root = ''] = /\/Root (\d+) 0 R/.exec(file) ?? [];
  return pagesIn(referenceIn(object(root).dictionary, 'Pages'));
};

/** By the offsets of the table at the end: bytes of a stream may look like an object. */
const objectsOf = (file: string): ReadonlyMap<string, PdfObject> => {
  const table = file.slice(Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(file)?.[1]));
  const offsets = [...table.matchAll(/^(\d{10}) \d{5} n/gm)].map(([, offset]) => Number(offset));
  return new Map(
    offsets.map((offset) => {
      const [head, number = ''] = /^(\d+) 0 obj\s/.exec(file.slice(offset, offset + 20)) ?? [''];
      const end = file.indexOf('endobj', offset);
      const begin = file.indexOf('stream\n', offset);
      const isStream = begin !== -1 && begin < end;
      const dictionary = file.slice(offset + head.length, isStream ? begin : end);
      return [number, { dictionary, stream: isStream ? streamAt(file, begin + 'stream\n'.length, dictionary) : '' }];
    }),
  );
};

const streamAt = (file: string, from: number, dictionary: string): string => {
  const raw = Buffer.from(file.slice(from, from + Number(/\/Length (\d+)/.exec(dictionary)?.[1])), 'latin1');
  return (dictionary.includes('/FlateDecode') ? inflateSync(raw) : raw).toString('latin1');
};

const referenceIn = (dictionary: string, name: string): string => {
  const found = new RegExp(`/${name} (\\d+) 0 R`).exec(dictionary)?.[1];
  if (found === undefined) throw new Error(`an object of the PDF has no ${name}`);
  return found;
};

/** What the glyphs of a font mean. */
const unicodeOf = (map: string): ReadonlyMap<number, string> => {
  const glyphs = new Map<number, string>();
  const textOf = (hex: string): string => Buffer.from(hex, 'hex').swap16().toString('utf16le');
  for (const [, list = ''] of map.matchAll(/beginbfchar([\s\S]*?)endbfchar/g))
    for (const [, glyph = '', text = ''] of list.matchAll(/<(\w+)> <(\w+)>/g))
      glyphs.set(Number.parseInt(glyph, 16), textOf(text));
  for (const [, list = ''] of map.matchAll(/beginbfrange([\s\S]*?)endbfrange/g))
    for (const [, first = '', last = '', text = ''] of list.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g)) {
      const [from, to] = [Number.parseInt(first, 16), Number.parseInt(last, 16)];
      for (let n = from; n <= to; n++) glyphs.set(n, String.fromCharCode(Number.parseInt(text, 16) + n - from));
    }
  return glyphs;
};

const times = (a: Matrix, b: Matrix): Matrix => [
  a[0] * b[0] + a[1] * b[2],
  a[0] * b[1] + a[1] * b[3],
  a[2] * b[0] + a[3] * b[2],
  a[2] * b[1] + a[3] * b[3],
  a[4] * b[0] + a[5] * b[2] + b[4],
  a[4] * b[1] + a[5] * b[3] + b[5],
];

/** The operators that place and show text. */
const textsOf = (content: string, fonts: ReadonlyMap<string, ReadonlyMap<number, string>>): readonly PdfText[] => {
  const found: PdfText[] = [];
  const saved: Matrix[] = [];
  let drawn: Matrix = [1, 0, 0, 1, 0, 0];
  let placed = drawn;
  let font: ReadonlyMap<number, string> | undefined;
  for (const [, numbers, matrix, moved, named, shown, state] of content.matchAll(
    /((?:-?[\d.]+\s+){6})(cm|Tm)\b|((?:-?[\d.]+\s+){2})Td\b|\/(\w+)\s+-?[\d.]+\s+Tf\b|(<[\w\s]*>|\[[^\]]*\])\s*T[jJ]\b|(?<![\w/])(q|Q)(?!\w)/g,
  )) {
    if (state === 'q') saved.push(drawn);
    else if (state === 'Q') drawn = saved.pop() ?? drawn;
    else if (named !== undefined) font = fonts.get(named);
    else if (numbers !== undefined) {
      const given = numbers.trim().split(/\s+/).map(Number) as unknown as Matrix;
      if (matrix === 'cm') drawn = times(given, drawn);
      else placed = given;
    } else if (moved !== undefined) {
      const [x = 0, y = 0] = moved.trim().split(/\s+/).map(Number);
      placed = times([1, 0, 0, 1, x, y], placed);
    } else if (shown !== undefined) {
      const [, , , , x, y] = times(placed, drawn);
      const hex = [...shown.matchAll(/<([\w\s]*)>/g)].map(([, part = '']) => part.replaceAll(/\s/g, '')).join('');
      const glyphs = hex.match(/.{4}/g) ?? [];
      const text = glyphs.map((glyph) => font?.get(Number.parseInt(glyph, 16)) ?? '\ufffd').join('');
      // A font may have one glyph for “fi”.
      found.push({ text: text.normalize('NFKC'), x, y });
    }
  }
  return found;
};
