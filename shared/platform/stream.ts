/** What the table's stream says of an item. */
import type { Item } from './change.ts';

/** An attribute as a stream record has it: one name that says what it is, and the value; bytes are base64. */
export interface ImageAttribute {
  readonly S?: string;
  readonly N?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly B?: string;
  readonly L?: readonly ImageAttribute[];
  readonly M?: Readonly<Record<string, ImageAttribute>>;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
}

/** An item as it was when the record was written, as the reads of the table give it. */
export const readImage = (image: Readonly<Record<string, ImageAttribute>>): Item => mapOf(image) as Item;

const mapOf = (attributes: Readonly<Record<string, ImageAttribute>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, plainOf(attribute)]));

const plainOf = (attribute: ImageAttribute): unknown => {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.NULL !== undefined) return null;
  if (attribute.L !== undefined) return attribute.L.map(plainOf);
  if (attribute.M !== undefined) return mapOf(attribute.M);
  if (attribute.B !== undefined) return bytesOf(attribute.B);
  if (attribute.SS !== undefined) return new Set(attribute.SS);
  if (attribute.NS !== undefined) return new Set(attribute.NS.map(Number));
  return new Set((attribute.BS ?? []).map(bytesOf));
};

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');
