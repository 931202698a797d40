import { RpcError } from '../base/types.ts';

/** Field names from the outside in. */
export type FieldPath = readonly string[];

/** Parses a path in the notation of clients: `a.b`, with names that are not plain in backticks, `` `a.b`.c ``. */
export const parseFieldPath = (text: string): FieldPath => {
  if (text === '') throw invalid('Invalid empty property path string.');
  if (Buffer.byteLength(text) > pathBytesMax) throw invalid(`property path is longer than ${pathBytesMax} bytes.`);
  const names: string[] = [];
  segments.lastIndex = 0;
  for (;;) {
    const match = segments.exec(text);
    if (!match) throw malformed(text);
    const [, plain, quoted] = match;
    names.push(plain ?? (quoted ?? '').replaceAll(/\\(.)/gsu, '$1'));
    if (segments.lastIndex === text.length) break;
    if (text[segments.lastIndex] !== '.') throw malformed(text);
    segments.lastIndex++;
  }
  for (const name of names)
    if (isReservedField(name) && !(name === '__name__' && names.length === 1))
      throw invalid(`Invalid reserved name in field path ${text}`);
  return names;
};

/** Formats a path for `parseFieldPath`. */
export const formatFieldPath = (path: FieldPath): string =>
  path.map((name) => (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(name) ? name : `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``)).join('.');

/** Names between double underscores are reserved. */
export const isReservedField = (name: string): boolean => name.length >= 4 && name.startsWith('__') && name.endsWith('__');

const pathBytesMax = 1500;
const segments = /([a-zA-Z_][a-zA-Z_0-9]*)|`((?:[^`\\]|\\.)+)`/suy;

const malformed = (text: string): RpcError =>
  invalid(
    `Invalid property path "${text}". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match regex (\`(?:[^\`\\\\]|(?:\\\\.))+\`)`,
  );

const invalid = (message: string): RpcError => new RpcError('INVALID_ARGUMENT', message);
