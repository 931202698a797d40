import { RpcError } from '../base/types.ts';

const digits = (nanos: number): string => {
  if (nanos === 0) return '';
  const text = String(nanos).padStart(9, '0');
  return `.${text.endsWith('000000') ? text.slice(0, 3) : text.endsWith('000') ? text.slice(0, 6) : text}`;
};

/** RFC 3339 with 0, 3, 6 or 9 fractional digits. */
export const timestampText = (seconds: bigint, nanos: number): string =>
  `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${digits(nanos)}Z`;

/** Seconds with a fraction and an `s`. */
export const durationText = (seconds: bigint, nanos: number): string => `${seconds}${digits(nanos)}s`;

/** The years 1 to 9999. */
const firstMillis = Date.parse('0001-01-01T00:00:00Z');
const lastMillis = Date.parse('9999-12-31T23:59:59Z');

/** Parses an RFC 3339 time and applies its offset. */
export function timestampOfText(text: unknown, at: string): { readonly seconds: bigint; readonly nanos: number } {
  const match =
    typeof text === 'string' ? /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i.exec(text) : null;
  const millis = match ? Date.parse(`${match[1]}${match[3]}`) : Number.NaN;
  const problem = Number.isNaN(millis)
    ? "Illegal timestamp format; timestamps must end with 'Z' or have a valid timezone offset."
    : millis < firstMillis || millis > lastMillis
      ? 'Timestamp value exceeds limits'
      : undefined;
  if (problem !== undefined) {
    const field = at
      .split('.')
      .at(-1)
      ?.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    throw new RpcError(
      'INVALID_ARGUMENT',
      `Invalid value at '${at}' (type.googleapis.com/google.protobuf.Timestamp), Field '${field}', ${problem}`,
    );
  }
  return { seconds: BigInt(millis / 1000), nanos: Number((match?.[2] ?? '').padEnd(9, '0')) };
}

type Fields = Readonly<Record<string, unknown>>;

/** Converts a google.protobuf.Struct or Value to plain JSON. */
export function structJson(type: string, fields: Fields): unknown {
  if (type.endsWith('.Struct')) {
    const map = fields.fields as ReadonlyMap<string, Fields>;
    return Object.fromEntries([...map].map(([key, value]) => [key, structJson('.google.protobuf.Value', value)]));
  }
  if (fields.structValue !== undefined) return structJson('.google.protobuf.Struct', fields.structValue as Fields);
  if (fields.listValue !== undefined) {
    const { values } = fields.listValue as { readonly values: readonly Fields[] };
    return values.map((value) => structJson('.google.protobuf.Value', value));
  }
  return fields.stringValue ?? fields.numberValue ?? fields.boolValue ?? null;
}
