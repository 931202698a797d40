/** Values as DynamoDB writes them down. */
export type Attribute =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly Attribute[] }
  | { readonly M: Attributes };

export type Attributes = Readonly<Record<string, Attribute>>;

/** What is undefined is left out, as JSON does. Throws for what would come back as something else. */
export const encodeItem = (item: Readonly<Record<string, unknown>>): Attributes =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => (value === undefined ? [] : [[name, encodeValue(value)] as const])),
  );

const encodeValue = (value: unknown): Attribute => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: encodeNumber(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
  if (Array.isArray(value)) return { L: value.filter((entry) => entry !== undefined).map(encodeValue) };
  if (typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value)))
    return { M: encodeItem(value as Record<string, unknown>) };
  throw new TypeError(`a value that the table cannot hold: ${typeof value}`);
};

const encodeNumber = (value: number): string => {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
    throw new RangeError(`a number that the table would not keep as it is: ${value}`);
  return String(value);
};

export const decodeItem = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, decodeValue(value)]));

const decodeValue = (value: Attribute): unknown => {
  if ('S' in value) return value.S;
  if ('N' in value) return decodeNumber(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('M' in value) return decodeItem(value.M);
  if ('L' in value) return value.L.map(decodeValue);
  if ('B' in value) return Uint8Array.from(Buffer.from(value.B, 'base64'));
  if ('NULL' in value) return null;
  throw new TypeError(`an attribute of a kind that we never write: ${Object.keys(value).join()}`);
};

const decodeNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
    throw new RangeError('a number that cannot be read as it is');
  return value;
};
