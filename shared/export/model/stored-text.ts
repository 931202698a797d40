/** Long JSON of a job between its steps: an item of the table holds 400 KB, so it is cut into pieces. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { workPartition } from '../../job/index.ts';
import { after, commit, epochSeconds, type Tenant, walk } from '../../platform/index.ts';
import { type ExportText, type ExportTextItem, exportKey, workItemsSeconds } from './record.ts';

const pieceBytes = 300 << 10;

interface TextOf {
  readonly kind: ExportText;
  /** The number of a range, or what all of them have together. */
  readonly of: number | 'all';
}

/** Idempotent: a repeated run of a step stores the same pieces. */
export const storeText = async (
  tenant: Tenant,
  id: string,
  { kind, of, value, now }: TextOf & { readonly value: unknown; readonly now: Date },
): Promise<void> => {
  const bytes = gzipSync(JSON.stringify(value));
  const ttl = epochSeconds(after(now, workItemsSeconds));
  for (let piece = 0; piece * pieceBytes < bytes.length; piece++) {
    const text = bytes.subarray(piece * pieceBytes, (piece + 1) * pieceBytes);
    await commit([{ put: { ...exportKey.text(tenant, id, { kind, of, piece }), text, ttl } }]);
  }
};

export const readText = async <T>(tenant: Tenant, id: string, { kind, of }: TextOf): Promise<T> => {
  const pieces: Uint8Array[] = [];
  const prefix = exportKey.textPrefix(kind, of);
  for await (const { text } of walk<ExportTextItem>({ pk: workPartition(tenant, id), prefix })) pieces.push(text);
  if (pieces.length === 0) throw new Error(`the export has no ${kind} of ${of}`);
  return JSON.parse(gunzipSync(Buffer.concat(pieces)).toString()) as T;
};
