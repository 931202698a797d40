import type * as z from 'zod/mini';
import type { TransformPreview, TransformRule } from '../../contract/models/transform.ts';
import { restDocument } from '../../firestore/index.ts';
import type { MaskedDocument } from '../../mask/index.ts';
import { jsonBytes } from '../../platform/index.ts';

export type PreviewedDocument = z.input<typeof TransformPreview>;
type Fields = PreviewedDocument['before'];

interface MaskedPair {
  readonly path: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly masked: MaskedDocument;
  readonly rules: readonly TransformRule[];
}

const rulesMax = 20;

/**
 * A document as it is and as it would be written, in the format of the Firestore REST API. Of a large one only the changed fields
 * are shown, as far as they fit; `truncated` says so.
 */
export const previewDocument = ({ path, before, after, masked, rules }: MaskedPair, maxBytes: number): PreviewedDocument => {
  const [old, fresh]: Fields[] = [restDocument(before).fields, restDocument(after).fields];
  const found = [...masked.rules].sort((a, b) => a - b).flatMap((index) => rules[index] ?? []);
  const shown = { path, rules: found.slice(0, rulesMax) };
  if (old && fresh && jsonBytes(old) + jsonBytes(fresh) <= maxBytes)
    return { ...shown, before: old, after: fresh, truncated: false };
  return { ...shown, ...changedFields(old ?? {}, fresh ?? {}, maxBytes), truncated: true };
};

/** Without a prototype, so that no field name has a special meaning. */
const noFields = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>;

const changedFields = (before: Fields, after: Fields, maxBytes: number): { readonly before: Fields; readonly after: Fields } => {
  const [old, fresh] = [noFields(), noFields()];
  let bytes = 0;
  for (const name of Object.keys(after)) {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) continue;
    const size = jsonBytes(name) * 2 + jsonBytes(before[name] ?? null) + jsonBytes(after[name]);
    if (bytes + size > maxBytes) continue;
    bytes += size;
    old[name] = before[name];
    fresh[name] = after[name];
  }
  return { before: old, after: fresh };
};
